"""`riverboat play holdem`, `omaha` and `shortdeck`: a person at a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from riverboat.arena.hand import ActionTaken, Dealt, Hand, HandEnded, HandRecord
from riverboat.arena.sitting import Sitting, SittingEvent
from riverboat.cards.card import CARDS
from riverboat.cards.plain_strength import category, describe_score, score_of_strength
from riverboat.cli.console import columns, output
from riverboat.cli.holdem.abstraction import street_progress
from riverboat.cli.options import check_places
from riverboat.cli.terminal_table import TerminalTable
from riverboat.drawing.grid_text import side_by_side
from riverboat.errors import UsageError
from riverboat.games.registry import make_game, parse_assignments
from riverboat.holdem.blueprints.shipped import (
    SHIPPED,
    default_opponent,
    game_of_players,
    rules_of,
    spec_of,
)
from riverboat.holdem.blueprints.translation import same_shape
from riverboat.holdem.histories.phh import write_phh, write_phhs
from riverboat.holdem.rules.table import deal_streets
from riverboat.players.player import LeaveTable, Player, View
from riverboat.players.roster import make_player
from riverboat.runtime.storage import atomic_write

if TYPE_CHECKING:
    from riverboat.games.base import Action, ParameterValue
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.rules.state import Holdem, HoldemState
    from riverboat.players.coach import Advice, Coach


STREETS = {3: "flop", 4: "turn", 5: "river"}  # By the number of board cards
SUITS = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "default")}
VERBS = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
    "all-in": "is all-in with",
}
WORDS = {
    "fold": "f", "check": "c", "call": "c", "h": "?", "hint": "?",
    "allin": "a", "all-in": "a", "p": "a", "pot": "a",
}  # fmt: skip
"""What is understood besides the letters."""


def cards_in_colour(cards: Sequence[int]) -> Text:
    """Cards with their suits as coloured symbols."""
    text = Text()
    for i, card in enumerate(cards):
        symbol, colour = SUITS[CARDS[card][1]]
        text.append(" " * (i > 0) + CARDS[card][0] + symbol, style=f"bold {colour}")
    return text


def scene(state: HoldemState, names: Sequence[str], mine: int) -> Table:
    """The table as one player sees it."""
    betting = state.betting
    board = cards_in_colour(state.board) if state.board else Text("–")
    title = Text("board ") + board + Text(f"   pot {betting.pot}")
    table = columns("", "cards", ">stack", ">bet", title=title, pad_edge=True)
    for player, hand in enumerate(state.holes):
        shown = (
            cards_in_colour(hand)
            if player == mine
            else Text("▒▒ " * state.game.hole_cards, style="dim")
        )
        if not betting.in_hand[player]:
            shown = Text("folded", style="dim")
        bet = str(betting.bets[player]) if betting.bets[player] else ""
        marker = "▶ " if player == state.actor else "  "
        label = Text(marker + names[player], style="bold" if player == mine else "")
        table.add_row(label, shown, str(betting.stacks[player]), bet)
    return table


def ending(state: HoldemState, names: Sequence[str]) -> Iterator[Text]:
    """A line for each hand that was shown and for each player who won, with what it was."""
    showdown = sum(state.betting.in_hand) > 1
    width = max(len(name) for name in names)
    for player, gain in enumerate(state.returns()):
        if showdown and state.betting.in_hand[player]:
            cards = cards_in_colour(state.holes[player])
            words = _hand_words(state, player)
            yield Text(f"  {names[player]:<{width}}  ") + cards + f"  {words}  {gain:+g}"
        elif not showdown and gain > 0:
            yield Text(f"  {names[player]} wins {gain:g}")


def _hand_words(state: HoldemState, player: int) -> str:
    hole, board = state.holes[player], state.board
    value = state.game.best_hand(hole, board)
    whole = len(hole) + len(board) >= 5
    return describe_score(score_of_strength(value)) if whole else category(value)


def play_holdem(
    game_name: str,
    players: int | None,
    against: str,
    parameters: Sequence[str],
    *,
    seat: int = 0,
    hint: bool = False,
    hands: int = 0,
    seed: int | None = None,
    phh: Path | None = None,
) -> None:
    """One sitting, with `players` at the table (those of the blueprint, or two)."""
    check_places(phh)
    given: dict[str, ParameterValue | str] = dict(parse_assignments(parameters))
    if players is not None:
        if "players" in given:
            raise UsageError("Give the number of players once, with --players.")
        given["players"] = players
    if game_name == "holdem":
        game, opponent, coach = _table(against, given, hint)
    else:
        game, opponent = _table_without_coach(game_name, against, given, hint)
        coach = None
    if phh is not None:
        write_phh(game.start())  # refuses a game that PHH does not know before it is played
    sitting = Sitting(game, opponent, coach=coach, seat=seat, seed=seed, deal=deal_streets)
    table = HoldemTable(sitting, output(), always_hint=hint)
    try:
        table.run(hands)
    finally:
        if phh is not None:
            table.write(phh)


def _table_without_coach(
    name: str, against: str, given: Mapping[str, ParameterValue | str], hint: bool
) -> tuple[Holdem, Player]:
    """The game, and the player who takes all other seats, where there is no blueprint."""
    game = cast("Holdem", make_game(name, given))
    if hint:
        raise UsageError(f"--hint does nothing at {name}: there is no coach for it; leave it out.")
    return game, make_player(game, "holdem:call" if against == "equilibrium" else against)


def _table(
    against: str, given: Mapping[str, ParameterValue | str], hint: bool
) -> tuple[Holdem, Player, Coach | None]:
    """The game, the player who takes all other seats, and who gives hints."""
    from riverboat.holdem.blueprints.players import BlueprintCoach, blueprint_player
    from riverboat.holdem.search.player import SearchCoach, search_player
    from riverboat.holdem.search.searcher import Searcher

    if against == "equilibrium":
        against = default_opponent(given)
    spec = spec_of(against)
    game = game_of_players([spec.text], given)
    if spec.name == "blueprint":
        opponent = blueprint_player(game, spec, _loaded(spec.argument))
        return game, opponent, BlueprintCoach(game, opponent.blueprint, opponent.salt)
    if spec.name == "search":
        blueprint = _loaded(spec.argument)
        with output().status("Making the search ready; the first time that takes a minute …"):
            thinker = search_player(game, spec, blueprint)
        return game, thinker, SearchCoach(game, Searcher(blueprint, thinker.options))
    return game, make_player(game, spec.text), _coach(game, hint)


def _coach(game: Holdem, hint: bool) -> Coach | None:
    """The shipped blueprint, where hints are asked for; refused where it is for another game."""
    from riverboat.holdem.blueprints.players import BlueprintCoach

    if not hint:
        return None
    known = rules_of(SHIPPED)
    if not same_shape(game, known):
        raise UsageError(
            "--hint needs a blueprint for this game, and the shipped one is for 2 players with"
            f" stacks {known.stacks[0]}; train one and give it with --against blueprint:FILE."
        )
    return BlueprintCoach(game, _loaded(SHIPPED))


def _loaded(name: str) -> Blueprint:
    from riverboat.holdem.blueprints.blueprint import Blueprint

    with street_progress(quiet=False) as progress:
        return Blueprint.load(name, progress=progress)


class HoldemTable(TerminalTable):
    """A sitting in the terminal: the table, the hand in words, and afterwards the hints."""

    def __init__(self, sitting: Sitting, console: Console, *, always_hint: bool) -> None:
        super().__init__(sitting, console, always_hint=always_hint)
        self.sitting, self.game = sitting, cast("Holdem", sitting.game)
        self.finished: list[tuple[HoldemState, int]] = []
        self.under_way: HoldemState | None = None
        """The hand that is played now, as the person sees it."""
        self.mine, self.names = 0, [""]
        self.notes: list[str] = []
        """The person's moves in this hand, each with what the coach thinks of it."""

    def welcome(self) -> None:
        game = self.game
        antes = f", antes {max(game.betting_rules.antes)}" if any(game.betting_rules.antes) else ""
        self.console.print(
            f"[bold]{game.title}[/], {game.players} players, blinds"
            f" {game.small_blind}/{game.big_blind}{antes}, stacks {game.betting_rules.stacks[0]},"
            f" against {self.sitting.opponent.name}. q leaves the table.\n"
        )

    def next_hand(self) -> Hand:
        self.mine, self.notes = self.sitting.place, []
        self.names = list(self.game.seat_names)
        name = self.names[self.mine]
        seat_words = name if name.startswith("under") else f"the {name}"
        self.console.print(f"[bold]Hand {self.sitting.played + 1}.[/] You are {seat_words}.")
        self.names[self.mine] += " (you)"
        return self.sitting.next_hand(self.person)

    def farewell(self) -> None:
        played, score = self.sitting.played, self.sitting.score
        if played:
            mean = score / played / (self.game.big_blind or 1) * 1000
            self.console.print(
                f"{played} hand{'s' * (played != 1)}, score {score:+g} ({mean:+z,.0f} mbb/g)."
            )

    def receive(self, event: SittingEvent) -> None:
        if isinstance(event, Dealt):
            state = cast("HoldemState", event.after)
            if state.board:
                street = Text(f"  {STREETS.get(len(state.board), 'board')} ")
                self.console.print(street + cards_in_colour(state.board))
        elif isinstance(event, ActionTaken) and event.seat != self.mine:
            before = cast("HoldemState", event.before)
            verb, _, rest = before.action_words(event.action).partition(" ")
            words = f"  {self.names[event.seat]} {VERBS[verb]} {rest}"
            self.console.print(words.rstrip(), style="dim")
        elif isinstance(event, HandEnded):
            self._result(event.record)

    def write(self, path: Path) -> None:
        """Write the hands as PHH; one that was left as far as it went, with the own cards alone."""
        last = [] if self.under_way is None else [(self.under_way, self.mine)]
        hands = [*self.finished, *last]
        if not hands:
            return
        texts = []
        for number, (state, mine) in enumerate(hands, 1):
            names = [self.sitting.opponent.name] * self.game.players
            names[mine] = "you"
            texts.append(write_phh(state, players=names, hand=number))
        atomic_write(path, write_phhs(texts))
        if last:
            self.console.print(
                f"Hand {len(hands)} was not finished; it is saved as far as it went."
            )
        self.console.print(f"saved {path}: riverboat phh {path}", markup=False, soft_wrap=True)

    def choose(self, view: View) -> Action:
        """The person's move; what the coach thinks of it is noted for afterwards."""
        move = super().choose(view)
        advice = self.table.advise(view)
        if advice is not None:
            self.notes.append(f"{self._seen(view).action_words(move)}; {advice.lines()[0]}")
        return move

    def show_scene(self, view: View) -> None:
        self.under_way = state = self._seen(view)
        self.console.print(scene(state, self.names, state.actor))

    def offer(self, view: View) -> list[str]:
        return _offer(self._seen(view))

    def move_of(self, view: View, text: str) -> Action:
        state = self._seen(view)
        wanted = _understood(state, text)
        if wanted == "q":
            raise LeaveTable
        if wanted not in state.actions():
            raise UsageError(f"{text!r} is not possible here.")
        return wanted

    def show_advice(self, advice: Advice) -> None:
        """The coach's words and, where it knows them, what both players may hold."""
        from riverboat.holdem.search.player import SearchAdvice

        for line in advice.lines():
            self.console.print(f"  {line}", style="cyan", markup=False)
        if isinstance(advice, SearchAdvice) and advice.ranges is not None:
            self.console.print(side_by_side(advice.ranges, self.console.width))

    def _seen(self, view: View) -> HoldemState:
        return self.game.observed(view.player, view.infoset)

    def _result(self, record: HandRecord) -> None:
        state = cast("HoldemState", record.last)
        gain = record.returns[self.mine]
        self.finished.append((state, self.mine))
        self.under_way = None
        for line in ending(state, self.names):
            self.console.print(line)
        for note in self.notes:
            self.console.print(f"  your {note}", style="cyan", markup=False)
        style = "green" if gain > 0 else "red" if gain < 0 else "yellow"
        score, played = self.sitting.score, self.sitting.played
        self.console.print(f"  [{style}]{gain:+g}[/]   score {score:+g} after {played}\n")


def _offer(state: HoldemState) -> list[str]:
    """What may be written here, for the prompt."""
    offer = ["[f] fold"] * (state.betting.to_call > 0) + [f"[c] {state.action_words('c')}"]
    raises = state.betting.raise_range()
    if raises is None:
        return offer
    low, high = raises
    if low == high:
        return [*offer, f"[r] {state.action_words(f'r{low}')}"]
    kind = "raise to" if max(state.betting.bets) else "bet"
    all_in = high == state.betting.stacks[state.actor] + state.betting.bets[state.actor]
    return [*offer, f"[r{low}…r{high}] {kind}", "[a] all-in" if all_in else "[p] pot"]


def _understood(state: HoldemState, text: str) -> str:
    """The action, ? or q that the typed text means."""
    words = text.lower().split()
    if words and words[0] in ("r", "raise", "bet", "b"):
        words[0] = "r"
    wanted = "".join(word for word in words if word != "to")
    wanted = WORDS.get(wanted, wanted)
    raises = state.betting.raise_range()
    if raises is not None and (wanted == "a" or (wanted == "r" and raises[0] == raises[1])):
        return f"r{raises[1]}"
    return wanted
