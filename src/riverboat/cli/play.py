"""`riverboat play`: sit down at any game in the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import Parameters, output

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from riverboat.arena.table import HandRecord
    from riverboat.games.base import Action, Game
    from riverboat.players.base import Player, View
    from riverboat.strategies.strategy import Lookup
    from riverboat.trees.game_tree import GameTree

app = typer.Typer()


@app.command("play")
def play(
    game_name: Annotated[str, typer.Argument(metavar="GAME", help="See `riverboat games`.")],
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="PLAYER",
            help="equilibrium (solved on the spot), random, strategy:FILE …",
        ),
    ] = "equilibrium",
    seat: Annotated[
        int, typer.Option("--seat", min=0, help="1 to sit first, 2 second …; 0 takes turns.")
    ] = 0,
    hint: Annotated[
        bool, typer.Option("--hint", help="Show the equilibrium and what each move cost.")
    ] = False,
    hands: Annotated[int, typer.Option("--hands", min=0, help="Stop after so many hands.")] = 0,
    players: Annotated[
        int | None, typer.Option("--players", min=2, max=10, help="holdem: how many sit down.")
    ] = None,
    phh: Annotated[
        Path | None, typer.Option("--phh", metavar="FILE", help="holdem: write the hands as PHH.")
    ] = None,
    parameters: Parameters = [],  # noqa: B006
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Makes the deals repeatable.")
    ] = None,
) -> None:
    """Play in the terminal: keys for moves, h for a hint, q to leave.

    Examples: riverboat play leduc --against random --hint ·
    riverboat play holdem --against blueprint:headsup-small.rb
    """
    from riverboat.errors import UsageError
    from riverboat.games.registry import make_game, parse_assignments

    if game_name == "holdem":
        from riverboat.cli.play_holdem import play_holdem

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
    coach = Coach.for_game(game, console)
    opponent = _opponent(game, against, coach)
    table = Session(game, console, coach, opponent, always_hint=hint)
    table.run(seat, hands, seed)


def _opponent(game: Game, against: str, coach: Coach) -> Player:
    from riverboat.cli.seating import seat_player
    from riverboat.players.simple import StrategyPlayer

    if against == "equilibrium":
        return StrategyPlayer("equilibrium", coach.strategy)
    return seat_player(game, against)


@dataclass
class Coach:
    """Knows an equilibrium, and on a small tree what every move is worth in it."""

    strategy: Lookup
    tree: GameTree | None
    values: NDArray[np.float64] | None

    @classmethod
    def for_game(cls, game: Game, console: Console) -> Coach:
        from riverboat.cli.solving import equilibrium_of

        with console.status(f"solving {game.title} …"):
            strategy, tree = equilibrium_of(game)
        if tree is None:
            return cls(strategy, None, None)
        from riverboat.evaluation.action_values import action_values
        from riverboat.strategies.strategy import Strategy

        assert isinstance(strategy, Strategy)
        return cls(strategy, tree, action_values(tree, strategy.probabilities))

    def worth(self, view: View) -> dict[Action, float]:
        """Each move's value here, empty where it is not known."""
        if self.tree is None or self.values is None:
            return {}
        from riverboat.strategies.strategy import Strategy

        assert isinstance(self.strategy, Strategy)
        i = self.strategy.index.get((view.player, view.infoset))
        if i is None:
            return {}
        first, last = int(self.tree.offsets[i]), int(self.tree.offsets[i + 1])
        known = zip(self.tree.actions[first:last], self.values[first:last].tolist(), strict=True)
        return {action: value for action, value in known if value == value}

    def hint(self, view: View) -> str:
        """The equilibrium's probabilities with each move's value, in one line."""
        chances = self.strategy.lookup(view.player, view.infoset) or {}
        worth = self.worth(view)
        words = []
        for action in view.actions:
            value = f" (worth {worth[action]:+.3f})" if action in worth else ""
            label = view.game.action_label(action)
            words.append(f"{label} {chances.get(action, 0.0):.0%}{value}")
        return "equilibrium: " + ", ".join(words)

    def cost(self, view: View, action: Action) -> float | None:
        """How much less the move is worth than the best one."""
        worth = self.worth(view)
        return max(worth.values()) - worth[action] if action in worth else None


class Session:
    """One sitting: hands, score, and what the moves cost."""

    def __init__(
        self, game: Game, console: Console, coach: Coach, opponent: Player, *, always_hint: bool
    ) -> None:
        self.game, self.console, self.coach, self.opponent = game, console, coach, opponent
        self.always_hint = always_hint
        self.score, self.played, self.cost = 0.0, 0, 0.0

    def run(self, seat: int, hands: int, seed: int | None) -> None:
        import numpy as np

        from riverboat.cli.seating import LeaveTable

        others = "yourself alone" if self.game.num_players == 1 else self.opponent.name
        self.console.print(f"[bold]{self.game.title}[/] against {others}. q leaves the table.\n")
        generators = np.random.default_rng(seed).spawn(self.game.num_players + 1)
        try:
            while not hands or self.played < hands:
                mine = (seat or self.played % self.game.num_players + 1) - 1
                self._hand(mine, generators)
        except (LeaveTable, KeyboardInterrupt):
            self.console.print()
        self._farewell()

    def _hand(self, mine: int, generators: list[np.random.Generator]) -> None:
        from riverboat.arena.table import play_hand
        from riverboat.cli.seating import ask_in_terminal
        from riverboat.players.human import HumanPlayer

        hint = self.coach.hint
        ask = ask_in_terminal(self.console, hint)

        def choose(view: View) -> Action:
            if self.always_hint:
                self.console.print(f"  {hint(view)}", markup=False, style="cyan")
            action = ask(view)
            cost = self.coach.cost(view, action)
            if cost is not None:
                self.cost += cost
                if self.always_hint:
                    verdict = "that costs nothing" if cost < 5e-4 else f"that costs {cost:.3f}"
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
        self.console.print(
            f"{self.played} {hands}, score {self.score:+g} ({mean:+.3f} a hand);"
            f" your moves cost {self.cost:.3f} against the equilibrium."
        )
