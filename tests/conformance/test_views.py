"""Nothing that a View offers leads to hidden cards, in every game and at every table."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from riverboat.arena.hand import chance_move, view_of
from riverboat.arena.match import run_match
from riverboat.arena.sitting import Sitting
from riverboat.blackjack.casino.bots import Casino, CasinoBot
from riverboat.blackjack.casino.session import play_casino
from riverboat.blackjack.round import Round
from riverboat.blackjack.rules import Shoe
from riverboat.games.base import CHANCE, TERMINAL, Game, State
from riverboat.games.registry import known_games, make_game
from riverboat.lessons.assignments import find_assignment
from riverboat.lessons.check_file import check_file
from riverboat.players.player import HumanPlayer, Player, View
from riverboat.players.roster import TRUSTED, as_trusted
from riverboat.players.simple import UniformPlayer
from riverboat.twentyone.game import DECK, TwentyOneState
from riverboat.twentyone.learning.players import SeatedPlayer, stream_of_seat
from riverboat.twentyone.table import Table

GAMES = sorted(known_games())
PLAIN = (str, int, float, bool, bytes, type(None), type, np.random.Generator)


def decisions(game: Game, hands: int, seed: int = 0) -> Iterator[State]:
    """Every state of some random hands at which a player acts."""
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        state = game.start()
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.after(chance_move(state, rng))
                continue
            yield state
            actions = state.actions()
            state = state.after(actions[int(rng.integers(len(actions)))])


def reachable(thing: Any) -> Iterator[Any]:
    """All that attributes, items, closures and methods without arguments lead to from a thing."""
    seen: set[int] = set()
    waiting = [thing]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, PLAIN) or inspect.ismodule(one):
            continue
        seen.add(id(one))
        yield one
        if inspect.isfunction(one):
            waiting += [cell.cell_contents for cell in one.__closure__ or ()]
            waiting += one.__defaults__ or ()
        elif inspect.ismethod(one):
            waiting += [one.__self__, one.__func__]
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        else:
            names = [*getattr(one, "__dict__", {}), *getattr(type(one), "__slots__", ())]
            waiting += [getattr(one, name) for name in names if hasattr(one, name)]


def states_seen(view: View, kind: Any) -> list[Any]:
    found = [*reachable(view), *reachable([getattr(view, name) for name in public(view)])]
    found += [result for name in public(view) for result in reachable(called(view, name))]
    return [one for one in found if isinstance(one, kind)]


def public(view: View) -> list[str]:
    return [name for name in dir(view) if not name.startswith("__")]


def called(view: View, name: str) -> Any:
    """What a method without arguments returns."""
    method = getattr(view, name)
    if not callable(method) or name == "game":
        return None
    try:
        return method()
    except TypeError:
        return method(1 if name == "raise_to" else view.actions[0])


@pytest.mark.parametrize("name", GAMES)
def test_no_state_can_be_reached_from_a_view(name: str) -> None:
    game = make_game(name)
    for state in decisions(game, 5):
        assert states_seen(view_of(game, state), type(state)) == []


@pytest.mark.parametrize("name", GAMES)
def test_a_view_says_the_same_whatever_is_hidden(name: str) -> None:
    """Two states that a player cannot tell apart give the same view, word by word."""
    game = make_game(name)
    known: dict[tuple[int, str], Any] = {}
    for state in decisions(game, 400 if game.small else 60):
        view = view_of(game, state)
        actions = [view.actions[i] for i in range(min(len(view.actions), 20))]
        # In these infosets suits and court cards do not matter; the scene shows the own ones.
        scene = "" if name in ("blackjack", "twentyone") else view.scene()
        said = scene, view.stakes(), actions, [view.label(action) for action in actions]
        assert known.setdefault((view.player, view.infoset), said) == said


class Spy(UniformPlayer):
    """Keeps the views that it is shown."""

    def __init__(self) -> None:
        super().__init__("spy")
        self.views: list[View] = []
        self.generators: list[np.random.Generator] = []

    def choose(self, view: View, rng: np.random.Generator) -> str:
        self.views.append(view)
        self.generators.append(rng)
        return super().choose(view, rng)


@pytest.mark.parametrize("name", GAMES)
def test_at_a_table_no_player_is_shown_the_state(name: str) -> None:
    game, spy = make_game(name), Spy()
    others: list[Player] = [UniformPlayer() for _ in range(game.num_players - 1)]
    run_match(game, [spy, *others], 10, seed=1)
    for view in spy.views:
        assert states_seen(view, type(game.start())) == []
        assert not hasattr(view, "state")


def keeps_its_ancestry(rng: np.random.Generator, seed: int) -> bool:
    """Whether the seed of the table, from which chance's stream follows, can be read off."""
    family: Any = rng.bit_generator.seed_seq  # type: ignore[attr-defined]
    return seed in np.atleast_1d(family.entropy) or family.spawn_key != ()


def test_a_players_random_numbers_do_not_give_chance_away() -> None:
    spy = Spy()
    run_match(make_game("leduc"), [spy, UniformPlayer()], 3, seed=12345)
    assert all(keeps_its_ancestry(rng, 12345) is False for rng in spy.generators)


def test_only_declared_players_get_the_state() -> None:
    class Cheat:
        name = "cheat"

        def choose(self, view: View, rng: np.random.Generator) -> str:
            return view.actions[0]

        def choose_knowing(self, state: State, rng: np.random.Generator) -> str:
            raise AssertionError("it was handed the state")

    Cheat.__module__, _, Cheat.__qualname__ = TRUSTED[0].partition(":")
    assert as_trusted(Cheat()) is None
    rb.match("kuhn", Cheat(), "random", hands=5)


CHEAT = """
class Bot:
    name = "cheat"

    def choose(self, view, rng):
        theirs = view.state().infoset(1 - view.player)[0]
        mine = view.infoset[0]
        better = "JQK".index(mine) >= "JQK".index(theirs)
        return "r" if better and "r" in view.actions else "c" if better else view.actions[0]
"""


def test_the_cheat_does_not_pass_the_assignment(tmp_path: Path) -> None:
    file = tmp_path / "cheat.py"
    file.write_text(CHEAT)
    report = check_file(find_assignment("assignment7"), file)
    assert [one.passed for one in report.findings] == [True, False, False, False]


def test_at_the_casino_neither_the_shoe_nor_the_hole_card_is_shown() -> None:
    spy = Spy()
    play_casino(Casino(rounds=20), [CasinoBot(spy)], seed=12345)
    assert spy.views
    for view in spy.views:
        assert states_seen(view, Shoe | Round) == []
        assert set(view.scene()) <= set(f"dealer you [{view.infoset}]")
    assert all(keeps_its_ancestry(rng, 12345) is False for rng in spy.generators)


def test_at_the_table_of_twenty_one_only_own_and_open_cards_are_shown() -> None:
    spy = Spy()
    rng = np.random.default_rng(1)
    table = Table(["spy"], 20, (rng.permutation(DECK).tolist() for _ in range(20)))
    seated = SeatedPlayer(spy, rng)
    table.start()
    while table.asking >= 0:
        table.answer(seated.decide(table.seats[0].cards, table.up_card))
    assert spy.views
    for view in spy.views:
        assert states_seen(view, Table | TwentyOneState) == []


def test_at_a_persons_table_and_at_twenty_one_random_numbers_do_not_give_chance_away() -> None:
    spy = Spy()
    sitting = Sitting(make_game("leduc"), spy, seed=12345)
    hand = sitting.next_hand(HumanPlayer(None, "you"))
    while (view := hand.advance()) is not None:
        hand.act(view.actions[-1])
    seat = SeatedPlayer(spy, stream_of_seat(12345, 0))
    seat.decide(["Tc", "5d"], "9h")
    assert len(spy.generators) > 1
    assert all(keeps_its_ancestry(rng, 12345) is False for rng in spy.generators)


def test_local_players_of_twenty_one_do_not_share_the_streams_of_decks() -> None:
    """A player whose stream shuffled the deck would play by the cards to come."""

    def state(rng: np.random.Generator) -> int:
        found: dict[str, dict[str, int]] = rng.bit_generator.state  # type: ignore[assignment]
        return found["state"]["state"]

    keys = [(5, table, *rest) for table in range(50) for rest in ((), (1,), (2,))]
    decks = {state(np.random.default_rng(key)) for key in keys}
    assert not decks & {state(stream_of_seat(5, number)) for number in range(50)}


SEVERAL = [name for name in GAMES if make_game(name).num_players > 1]


def table_of_a_page(name: str, bot: Player, people: int, seed: int) -> Any:
    """A table of the browser's pages with that many people, the bot in all other seats."""
    from riverboat.arena.class_table import BOT, ClassTable, TablePlan

    game = make_game(name)
    seats = [f"person {n}" if n < people else BOT for n in range(game.num_players)]
    return ClassTable(TablePlan("table", name, {}, seats, 3, seed), game, bot)


def moments(table: Any, rng: np.random.Generator) -> Iterator[None]:
    """Every moment at which a person must act, until all hands are played at random."""
    while not table.over:
        while table.view is not None:
            yield
            actions = table.view.actions
            table.act(table.waiting_for, actions[int(rng.integers(min(4, len(actions))))])
        if not table.over:
            table.next_hand()


@pytest.mark.parametrize("name", SEVERAL)
def test_a_bot_at_a_table_of_the_pages_is_shown_neither_state_nor_table(name: str) -> None:
    spy, rng = Spy(), np.random.default_rng(2)
    table = table_of_a_page(name, spy, 1, 12345)
    for _ in moments(table, rng):
        assert states_seen(table.view, type(table.state) | type(table)) == []
    assert spy.views
    for view in spy.views:
        assert states_seen(view, type(table.state) | type(table)) == []
    assert all(keeps_its_ancestry(rng, 12345) is False for rng in spy.generators)


@pytest.mark.parametrize("name", SEVERAL)
def test_a_place_at_a_table_of_the_pages_reads_the_same_whatever_is_hidden(name: str) -> None:
    """The log of the hand, as the browser gets it; the felt is walked in web/test_scenes.py."""
    known: dict[Any, Any] = {}
    rng = np.random.default_rng(3)
    for seed in range(60):
        table = table_of_a_page(name, UniformPlayer(), 2, seed)
        for _ in moments(table, rng):
            for place in (0, 1):
                lines, seat = table.lines[place], table.position(place)
                begun = max(n for n, line in enumerate(lines) if line.startswith("Hand "))
                key = seat, table.state.actor, table.state.infoset(seat)
                said = lines[begun + 1 :]
                assert known.setdefault(key, said) == said


@pytest.mark.parametrize("name", [name for name in SEVERAL if name != "liars_dice"])
def test_an_agent_of_pettingzoo_gets_the_same_whatever_is_hidden(name: str) -> None:
    """Observation, mask and info of every agent; players that are asked get a view."""
    pytest.importorskip("pettingzoo")
    from riverboat.interop.pettingzoo_table import TableEnv

    env, spy, known = TableEnv(name), Spy(), {}  # type: tuple[Any, Spy, dict[Any, Any]]
    kind = type(env.game.start()) | TableEnv
    for seed in range(100):
        env.reset(seed=12345 + seed)
        while not all(env.terminations.values()):
            for seat, agent in enumerate(env.agents):
                seen, info = env.observe(agent), env.infos[agent]
                assert not [one for one in reachable([seen, info]) if isinstance(one, kind)]
                assert info == {"infoset": env.state_.infoset(seat)}
                key = agent, env.agent_selection, info["infoset"]
                said = seen["observation"].tobytes(), seen["action_mask"].tobytes()
                assert known.setdefault(key, said) == said
            env.step(env.ask(spy))
    for view in spy.views:
        assert states_seen(view, kind) == []
    assert all(keeps_its_ancestry(rng, 12345) is False for rng in spy.generators[:3])
