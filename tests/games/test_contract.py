"""Games that lie are refused in one sentence that names the state, wherever they are used."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import riverboat as rb
from riverboat.arena.sitting import Sitting
from riverboat.errors import GameError
from riverboat.games import contract
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.contract import check_game
from riverboat.players.coach import coach_for
from riverboat.players.simple import UniformPlayer
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import build_tree, estimate_histories, measure


@dataclass(frozen=True)
class Flip:
    """A coin that nobody sees, then a guess by each player; `lie` breaks one promise."""

    lie: str = ""
    deep: int = 0
    name: ClassVar[str] = "flip"
    title: ClassVar[str] = "Flip"
    small: ClassVar[bool] = True
    num_players: ClassVar[int] = 2
    utility_sum: ClassVar[float | None] = 0.0

    def start(self) -> FlipState:
        if self.lie == "start":
            raise KeyError("deck")
        return FlipState(self)

    def action_label(self, action: str) -> str:
        return {"h": "heads", "t": "tails"}[action]


CHANCES: dict[str, Any] = {
    "nan": (("h", math.nan), ("t", 0.5)),
    "negative": (("h", 1.5), ("t", -0.5)),
    "sum": (("h", 0.5), ("t", 0.4)),
    "empty": (),
    "mapping": {"h": 0.5, "t": 0.5},
    "no text": (("h", "0.5"), ("t", 0.5)),
    "twice": (("h", 0.5), ("h", 0.5)),
    "triple": (("h", 0.5, 1),),
}
RETURNS: dict[str, Any] = {
    "nan payoff": (math.nan, 0.0),
    "infinite payoff": (math.inf, -math.inf),
    "huge payoff": (1e300, -1e300),
    "payoff count": (1.0,),
    "payoff text": ("1", "-1"),
    "payoff none": None,
    "payoff mapping": {0: 1.0, 1: -1.0},
    "zero sum": (1.0, 1.0),
}
ACTIONS: dict[str, Any] = {
    "no actions": (),
    "numbers": (0, 1),
    "same action": ("h", "h"),
    "generator": (a for a in "ht"),
}


@dataclass(frozen=True)
class FlipState:
    game: Flip
    moves: str = ""

    @property
    def actor(self) -> Any:
        if self.game.lie == "actor" and self.moves == "h":
            return 7
        if self.game.lie == "actor text" and self.moves == "h":
            return "1"
        if not self.moves:
            return CHANCE
        length = 3 + self.game.deep
        over = len(self.moves) >= length and self.game.lie != "endless"
        return TERMINAL if over else (len(self.moves) - 1) % 2

    def actions(self) -> Any:
        if self.moves == "h" and self.game.lie in ACTIONS:
            return ACTIONS[self.game.lie]
        if self.moves == "t" and self.game.lie == "differ":
            return ("t", "h")
        if self.moves == "hh" and self.game.lie == "actions":
            raise ZeroDivisionError("no cards left")
        return ("h",) if self.game.lie == "endless" else ("h", "t")

    def chance(self) -> Any:
        return CHANCES.get(self.game.lie, (("h", 0.5), ("t", 0.5)))

    def after(self, action: str) -> Any:
        if self.moves == "t" and self.game.lie == "after":
            raise rb.RiverboatError("no such move")
        if self.moves == "t" and self.game.lie == "exit":
            raise SystemExit(0)
        if self.moves == "t" and self.game.lie == "itself":
            return self
        if self.moves == "t" and self.game.lie == "nothing":
            return None
        if self.moves == "t" and self.game.lie == "mutable":
            object.__setattr__(self, "moves", "thh")
        return FlipState(self.game, self.moves + action)

    def returns(self) -> Any:
        if self.game.lie in RETURNS and self.moves.startswith("hth"):
            return RETURNS[self.game.lie]
        gain = 1.0 if self.moves[1] == self.moves[2] else -1.0
        return (gain, -gain)

    def infoset(self, player: int) -> Any:
        if self.game.lie == "infoset" and self.moves == "t":
            return 5
        return self.moves[1:][player::2] + str(len(self.moves))

    def describe(self, player: int | None) -> str:
        if self.game.lie == "describe" and self.moves == "th":
            raise IndexError("no card")
        return self.moves


def run_solve(game: Any) -> None:
    solve(game)


def run_match(game: Any) -> None:
    rb.match(game, "random", "random", hands=20)


def run_tournament(game: Any) -> None:
    rb.tournament(game, "random", "random", hands=4)


def run_sitting(game: Any) -> None:
    """What `play` and the browser's table are made of."""
    Sitting(game, UniformPlayer())


def run_coach(game: Any) -> None:
    """The coach and the default opponent of `play` are solved before anyone sits down."""
    coach_for(game)


USES: list[Callable[[Any], None]] = [run_solve, run_match, run_tournament, run_sitting, run_coach]
SENTENCES = {
    "nan": "at the start: chance has the probabilities nan, 0.5; they must be 0 or more",
    "negative": r"at the start: chance has the probabilities 1.5, -0.5",
    "sum": "at the start: chance .* add up to one",
    "empty": "at the start: chance .* add up to one",
    "mapping": "at the start: chance returns .* a dict",
    "no text": "at the start: chance has the probabilities",
    "twice": "at the start: the outcome 'h' comes twice",
    "triple": "at the start: chance gives .* not .outcome, probability",
    "nan payoff": "after h, t, h: the payoffs are nan, 0.0, not finite",
    "infinite payoff": "after h, t, h: the payoffs are inf, -inf",
    "huge payoff": r"after h, t, h: the payoffs are 1e\+300",
    "payoff count": "after h, t, h: returns gives 1 payoffs for 2 players",
    "payoff text": "after h, t, h: the payoffs are 1, -1, not finite numbers",
    "payoff none": "after h, t, h: returns returns None",
    "payoff mapping": "after h, t, h: returns returns .* a dict",
    "zero sum": "after h, t, h: the payoffs 1.0, 1.0 add up to 2, but utility_sum is 0",
    "no actions": "after h: player 0 must act and has no actions",
    "numbers": "after h: the action 0 is no text",
    "same action": "after h: the action 'h' comes twice",
    "generator": "after h: actions returns .* a generator",
    "actor": "after h: actor is 7; it can be 0 to 1",
    "actor text": "after h: actor is 1, not a number",
    "differ": "differ in their actions",
    "start": "at the start: start fails with KeyError in line .* of test_contract.py",
    "actions": "after h, h: actions fails with ZeroDivisionError .* no cards left",
    "after": r"after t: after\('[ht]'\) fails with RiverboatError .* no such move",
    "exit": r"after t: after\('[ht]'\) fails with SystemExit",
    "itself": r"after t: after\('[ht]'\) returns the state itself",
    "nothing": r"after t: after\('[ht]'\) returns None",
    "mutable": "a move changes the state",
    "infoset": r"after t: infoset\(?0?\)? is 5, not a text",
    "endless": "a play does not end within 10,000 moves",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("lie", SENTENCES)
def test_a_game_that_lies_is_refused_with_its_state(lie: str, use: Callable[[Any], None]) -> None:
    if lie == "generator":
        ACTIONS["generator"] = (action for action in "ht")
    with pytest.raises(GameError, match=f"^flip[,:] .*{SENTENCES[lie]}.*[.]$"):
        use(Flip(lie))


@pytest.mark.parametrize("use", USES)
def test_a_game_that_keeps_its_promises_is_used(use: Callable[[Any], None]) -> None:
    use(Flip())


def test_words_are_checked_where_people_play() -> None:
    run_solve(Flip("describe"))
    run_match(Flip("describe"))
    with pytest.raises(GameError, match=r"after t, h: describe\(0\) fails with IndexError"):
        run_sitting(Flip("describe"))


@pytest.mark.parametrize("lie", ["zero sum", "nan payoff", "infinite payoff", "payoff text"])
def test_a_solver_names_a_fault_beyond_the_states_that_are_checked(
    lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "MAX_STATES", 1)
    monkeypatch.setattr(contract, "NUM_PLAYS", 0)
    game = Flip(lie, deep=1)
    check_game(game)
    with pytest.raises(GameError, match=r"after h, t, h, [ht]: the payoffs"):
        solve(game)


def test_a_tree_of_a_game_is_built_without_the_check() -> None:
    tree = build_tree(Flip("zero sum"))
    assert tree.num_histories == build_tree(Flip()).num_histories
    assert (tree.returns.sum(axis=1) == 2.0).any()


def test_a_tree_that_cannot_be_built_names_the_state() -> None:
    with pytest.raises(GameError, match="after h, h: actions fails with ZeroDivisionError"):
        build_tree(Flip("actions"))


def test_a_table_names_a_fault_beyond_the_states_that_are_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contract, "MAX_STATES", 1)
    monkeypatch.setattr(contract, "NUM_PLAYS", 0)
    with pytest.raises(GameError, match="after h, h: actions fails with ZeroDivisionError"):
        rb.match(Flip("actions", deep=2), "random", "random", hands=50)
    with pytest.raises(GameError, match=r"after h, t, h, [ht], [ht]: the payoffs are nan"):
        rb.match(Flip("nan payoff", deep=2), "random", "random", hands=200)


def test_sizes_of_an_endless_game_end() -> None:
    game = Flip("endless")
    for ask in (measure, estimate_histories, build_tree):
        with pytest.raises(rb.RiverboatError, match="10,000 moves"):
            ask(game)


def test_a_game_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    @dataclass(frozen=True)
    class Counted(Flip):
        def start(self) -> FlipState:
            asked.append(1)
            return super().start()

    check_game(Counted())
    before = len(asked)
    check_game(Counted())
    assert len(asked) == before
