"""`riverboat play`: sit down at any game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console

from riverboat.arena.hand import Hand, HandEnded, HandRecord
from riverboat.arena.narration import Narrator
from riverboat.arena.sitting import MoveJudged, Sitting, SittingEvent, check_seat
from riverboat.blackjack.round import Blackjack
from riverboat.blackjack.rules import rules_from
from riverboat.cli import options
from riverboat.cli.blackjack.sitting import play_blackjack
from riverboat.cli.console import output
from riverboat.cli.groups import App
from riverboat.cli.holdem.play_blueprint import play_holdem
from riverboat.cli.options import GameName, Parameters, count_option, option, refuse, seed_option
from riverboat.cli.terminal_table import TerminalTable, person_at
from riverboat.errors import TooLargeError, UnknownNameError, UsageError
from riverboat.games.base import Game
from riverboat.games.registry import game_class, make_game, parse_assignments
from riverboat.holdem.rules.state import Holdem
from riverboat.players.coach import Coach, coach_for
from riverboat.players.player import Player
from riverboat.players.roster import known_players, make_player, parse_spec, spec_of_file
from riverboat.players.simple import Seatable, StrategyPlayer, seat


def seat_player(game: Game, text: str, console: Console | None = None) -> Player:
    """The player that a spec names; `human` is asked in the terminal, on `console` if given."""
    if text == "human":
        return person_at(console or output())
    known = known_players()
    if parse_spec(text).name not in known and spec_of_file(text) is None:
        raise UnknownNameError.among("player", text, [*known, "human"])
    return make_player(game, text)


app = App()

Opponent = Annotated[
    str | None,
    option(
        "--against",
        "equilibrium (solved on the spot; holdem: rules), search, blueprint:FILE, random, …",
        metavar="PLAYER",
    ),
]


@app.command("play")
def play(
    game_name: GameName,
    against: Opponent = None,
    seat: Annotated[
        int | None, count_option("--seat", "1 to sit first, 2 second …; 0 takes turns.", min=0)
    ] = None,
    hint: Annotated[bool, option("--hint", "Show the best play and what each move cost.")] = False,
    hands: Annotated[int, count_option("--hands", "Stop after this many hands.", min=0)] = 0,
    players: Annotated[
        int | None, count_option("--players", "hold'em, omaha: how many sit down.", min=2, max=10)
    ] = None,
    phh: Annotated[Path | None, option("hold'em, omaha: write the hands as PHH.")] = None,
    rules: Annotated[str | None, option("blackjack: a rule set.", metavar="PRESET")] = None,
    parameters: Parameters = [],  # noqa: B006
    seed: Annotated[int | None, seed_option("Makes the deals repeatable.")] = None,
    imports: options.Imports = None,
) -> None:
    """Play in the terminal: keys for moves, ? for a hint, q to leave.

    \b
    Examples:
    riverboat play leduc --against random --hint
    riverboat play blackjack --rules european --set h17=true
    riverboat play holdem --players 6
    riverboat play omaha --players 3
    """
    options.import_programs(imports)
    kind = game_class(game_name)
    name = kind.name
    idle = f"does nothing in {name}; leave it out"
    if issubclass(kind, Blackjack):
        refuse(idle, against=against, seat=seat, players=players, phh=phh)
        _play_blackjack(rules, parameters, seed, hands, hint)
        return
    refuse(idle, rules=rules)
    if issubclass(kind, Holdem):
        play_holdem(
            name,
            players,
            against or "equilibrium",
            parameters,
            seat=seat or 0,
            hint=hint,
            hands=hands,
            seed=seed,
            phh=phh,
        )
        return
    refuse(idle, players=players, phh=phh)
    game = make_game(game_name, parse_assignments(parameters))
    if game.num_players == 1:
        refuse(idle, against=against)
    play_any(
        game, against=against or "equilibrium", seat=seat or 0, hint=hint, hands=hands, seed=seed
    )


def has_own_table(kind: type[Game]) -> bool:
    """Whether a game is played at a table of its own, which has options of its own."""
    return issubclass(kind, Blackjack | Holdem)


def play_any(
    game: Game,
    *,
    against: Seatable = "equilibrium",
    seat: int = 0,
    hint: bool = False,
    hands: int = 0,
    seed: int | None = None,
) -> None:
    """Any game of the registry, at the table that all of them share."""
    console = output()
    check_seat(game, seat)
    coach = _coach(game, against, hint, console)
    opponent = _opponent(game, against, coach)
    sitting = Sitting(game, opponent, coach=coach, seat=seat, seed=seed)
    GameTable(sitting, console, always_hint=hint).run(hands)


def _play_blackjack(
    rules: str | None, settings: list[str], seed: int | None, rounds: int, coach: bool
) -> None:
    """Blackjack has a bankroll and a shoe that goes on from round to round: its own table."""
    changes = [text for text in settings if text.partition("=")[0] not in ("rules", "changes")]
    given = parse_assignments(text for text in settings if text not in changes)
    if rules is not None and "rules" in given:
        raise UsageError("Give the rules once, with --rules.")
    preset = rules or given.get("rules", "vegas-6d-s17")
    more = [text for text in given.get("changes", "").split(",") if text]
    play_blackjack(rules_from(preset, [*more, *changes]), seed, rounds=rounds, coach=coach)


def _coach(game: Game, against: Seatable, hint: bool, console: Console) -> Coach | None:
    """The coach; None for a game that is too large to solve, if none is needed."""
    try:
        with console.status(f"solving {game.title} …"):
            return coach_for(game)
    except TooLargeError:
        if against == "equilibrium" or hint:
            raise
        return None


def _opponent(game: Game, against: Seatable, coach: Coach | None) -> Player:
    if against == "equilibrium" and coach is not None:
        return StrategyPlayer("equilibrium", coach.strategy)
    return seat_player(game, against) if isinstance(against, str) else seat(game, against)


class GameTable(TerminalTable):
    """A sitting at any game: the hand in words, the score."""

    def __init__(self, sitting: Sitting, console: Console, *, always_hint: bool) -> None:
        super().__init__(sitting, console, always_hint=always_hint)
        self.sitting, self.narrator = sitting, Narrator(sitting.game, 0)

    def welcome(self) -> None:
        game = self.sitting.game
        others = "" if game.num_players == 1 else f" against {self.sitting.opponent.name}"
        self.console.print(f"{game.title}{others}. q leaves the table.\n", markup=False)

    def next_hand(self) -> Hand:
        sitting = self.sitting
        self.narrator.seat = sitting.place
        you = f"You are player {sitting.place + 1}." if sitting.num_seats > 1 else ""
        self.console.print(f"[bold]Hand {sitting.played + 1}.[/] {you}".rstrip())
        return sitting.next_hand(self.person)

    def receive(self, event: SittingEvent) -> None:
        if isinstance(event, MoveJudged):
            if self.always_hint:
                verdict = "nothing" if event.cost < 5e-4 else f"{event.cost:z.3f}"
                self.console.print(f"    that costs {verdict}", style="cyan")
        elif isinstance(event, HandEnded):
            self.result(event.record)
        elif words := self.narrator.narrate(event):
            self.console.print(f"  {words}", style="dim", markup=False)

    def result(self, record: HandRecord) -> None:
        sitting = self.sitting
        gain = record.returns[self.narrator.seat]
        verb = "win" if gain > 0 else "lose" if gain < 0 else ""
        style = "green" if gain > 0 else "red" if gain < 0 else "yellow"
        words = f"you {verb} {abs(gain):g}" if verb else "nobody wins"
        for line in record.last.describe(None).splitlines():
            self.console.print(f"  {line}", markup=False)
        self.console.print(
            f"  [{style}]{words}[/]   score {sitting.score:+g} after {sitting.played}\n"
        )

    def farewell(self) -> None:
        sitting = self.sitting
        if not sitting.played:
            return
        mean, hands = sitting.score / sitting.played, "hand" if sitting.played == 1 else "hands"
        cost = (
            ""
            if sitting.cost is None
            else f"; your moves cost {sitting.cost:.3f} against the best play"
        )
        self.console.print(
            f"{sitting.played} {hands}, score {sitting.score:+g} ({mean:+z.3f} per hand){cost}."
        )
