"""`riverboat play`: sit down at any game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import Parameters, output

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from riverboat.arena.hand import HandRecord
    from riverboat.cli.coaching import Coach
    from riverboat.games.base import Action, Game
    from riverboat.players.player import Player, View

app = typer.Typer()


@app.command("play")
def play(
    game_name: Annotated[str, typer.Argument(metavar="GAME", help="See `riverboat games`.")],
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="PLAYER",
            help="equilibrium (solved on the spot; holdem: rules), blueprint:FILE, random …",
        ),
    ] = "equilibrium",
    seat: Annotated[
        int, typer.Option("--seat", min=0, help="1 to sit first, 2 second …; 0 takes turns.")
    ] = 0,
    hint: Annotated[
        bool, typer.Option("--hint", help="Show the best play and what each move cost.")
    ] = False,
    hands: Annotated[int, typer.Option("--hands", min=0, help="Stop after so many hands.")] = 0,
    players: Annotated[
        int | None, typer.Option("--players", min=2, max=10, help="holdem: how many sit down.")
    ] = None,
    phh: Annotated[
        Path | None, typer.Option("--phh", metavar="FILE", help="holdem: write the hands as PHH.")
    ] = None,
    parameters: Parameters = [],  # noqa: B006
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="PRESET", help="blackjack: a rule set.")
    ] = None,
    changes: Annotated[
        list[str], typer.Option("--set", metavar="OPTION=VALUE", help="blackjack: a rule.")
    ] = [],  # noqa: B006
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Makes the deals repeatable.")
    ] = None,
) -> None:
    """Play in the terminal: keys for moves, ? for a hint, q to leave.

    Examples: riverboat play leduc --against random --hint ·
    riverboat play blackjack --rules european ·
    riverboat play holdem --against blueprint:headsup-small.rb
    """
    from riverboat.cli.coaching import coach_for
    from riverboat.errors import UsageError
    from riverboat.games.registry import make_game, parse_assignments

    if game_name == "blackjack":
        _play_blackjack(rules, changes, parse_assignments(parameters), seed, hands, hint)
        return
    if rules is not None or changes:
        raise UsageError("--rules and --set are for blackjack; other games take -p NAME=VALUE.")
    if game_name == "holdem":
        from riverboat.cli.holdem.play_holdem import play_holdem

        play_holdem(
            players, against, parameters, seat=seat, hint=hint, hands=hands, seed=seed, phh=phh
        )
        return
    if players is not None or phh is not None:
        raise UsageError("--players and --phh are for holdem; other games take -p NAME=VALUE.")
    game = make_game(game_name, parse_assignments(parameters))
    if seat > game.num_players:
        raise UsageError(f"{game.name} has {game.num_players} seats, so there is no seat {seat}.")
    console = output()
    coach = coach_for(game, console)
    table = Session(game, console, coach, _opponent(game, against, coach), always_hint=hint)
    table.run(seat, hands, seed)


def _play_blackjack(
    rules: str | None,
    changes: list[str],
    parameters: dict[str, str],
    seed: int | None,
    rounds: int,
    coach: bool,
) -> None:
    """Blackjack has a bankroll and a shoe that goes on from round to round: its own table."""
    from riverboat.blackjack.rules import rules_from
    from riverboat.cli.blackjack.play_blackjack import play_blackjack
    from riverboat.games.registry import make_game

    make_game("blackjack", parameters)  # refuses what is not a parameter of the game
    preset = rules or parameters.get("rules", "vegas-6d-s17")
    more = [text for text in parameters.get("changes", "").split(",") if text]
    play_blackjack(rules_from(preset, [*more, *changes]), seed, rounds=rounds, coach=coach)


def _opponent(game: Game, against: str, coach: Coach) -> Player:
    from riverboat.cli.seating import seat_player
    from riverboat.players.simple import StrategyPlayer

    if against == "equilibrium":
        return StrategyPlayer("equilibrium", coach.strategy)
    return seat_player(game, against)


class Session:
    """One sitting: hands, score, and what the moves cost."""

    def __init__(
        self, game: Game, console: Console, coach: Coach, opponent: Player, *, always_hint: bool
    ) -> None:
        self.game, self.console, self.coach, self.opponent = game, console, coach, opponent
        self.always_hint = always_hint
        self.score, self.played = 0.0, 0
        self.cost: float | None = None

    def run(self, seat: int, hands: int, seed: int | None) -> None:
        import numpy as np

        from riverboat.cli.seating import LeaveTable

        others = "" if self.game.num_players == 1 else f" against {self.opponent.name}"
        self.console.print(f"[bold]{self.game.title}[/]{others}. q leaves the table.\n")
        generators = np.random.default_rng(seed).spawn(self.game.num_players + 1)
        try:
            while not hands or self.played < hands:
                mine = (seat or self.played % self.game.num_players + 1) - 1
                self._hand(mine, generators)
        except (LeaveTable, KeyboardInterrupt):
            self.console.print()
        self._farewell()

    def _hand(self, mine: int, generators: list[np.random.Generator]) -> None:
        from riverboat.arena.hand import play_hand
        from riverboat.cli.coaching import cost, hint
        from riverboat.cli.seating import ask_in_terminal
        from riverboat.players.human import HumanPlayer

        ask = ask_in_terminal(self.console, lambda view: hint(self.coach, view))

        def choose(view: View) -> Action:
            if self.always_hint:
                self.console.print(f"  {hint(self.coach, view)}", markup=False, style="cyan")
            action = ask(view)
            lost = cost(self.coach, view, action)
            if lost is not None:
                self.cost = (self.cost or 0.0) + lost
                if self.always_hint:
                    verdict = "that costs nothing" if lost < 5e-4 else f"that costs {lost:.3f}"
                    self.console.print(f"  {verdict}", style="dim")
            return action

        names = f"You are player {mine + 1}." if self.game.num_players > 1 else ""
        self.console.print(f"[bold]Hand {self.played + 1}.[/] {names}")
        seats: list[Player] = [self.opponent] * self.game.num_players
        seats[mine] = HumanPlayer(choose)
        record = play_hand(self.game, seats, generators[0], generators[1:])
        self._result(record, mine)

    def _result(self, record: HandRecord, mine: int) -> None:
        gain = record.returns[mine]
        self.score += gain
        self.played += 1
        style = "green" if gain > 0 else "red" if gain < 0 else "yellow"
        self.console.print(f"  {record.last.describe(None)}", markup=False)
        self.console.print(f"  [{style}]{gain:+g}[/]   score {self.score:+g} after {self.played}\n")

    def _farewell(self) -> None:
        if not self.played:
            return
        mean, hands = self.score / self.played, "hand" if self.played == 1 else "hands"
        cost = (
            "" if self.cost is None else f"; your moves cost {self.cost:.3f} against the best play"
        )
        self.console.print(
            f"{self.played} {hands}, score {self.score:+g} ({mean:+.3f} a hand){cost}."
        )
