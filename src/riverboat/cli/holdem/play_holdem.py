"""`riverboat play holdem`: a table in the terminal, against a blueprint or a sparring partner.

Everybody starts each hand with the full stack; the score goes on. After a hand the blueprint says
what it would have done with your cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from riverboat.cli.console import output
from riverboat.cli.seating import LeaveTable

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from riverboat.games.base import Action
    from riverboat.holdem.rules.state import Holdem, HoldemState
    from riverboat.players.player import Player

__all__ = ["play_holdem"]

WORDS = {"fold": "f", "check": "c", "call": "c", "allin": "a", "all-in": "a", "h": "?", "hint": "?"}
"""What is understood beside the letters."""


def play_holdem(
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
    from riverboat.errors import UsageError
    from riverboat.strategies.files import check_writable

    if phh is not None:
        check_writable(phh)
    game, opponent = _table(players, against, parameters)
    if seat > game.players:
        raise UsageError(f"There are {game.players} seats, so there is no seat {seat}.")
    if phh is not None:
        from riverboat.holdem.phh import write_phh

        write_phh(game.start())  # refuses a game that PHH does not know before it is played
    sitting = Sitting(game, opponent, output(), hint)
    try:
        sitting.run(seat, hands, seed)
    finally:
        if phh is not None:
            sitting.write(phh)


def _table(players: int | None, against: str, parameters: Sequence[str]) -> tuple[Holdem, Player]:
    """The game and the player who takes all other seats."""
    from typing import cast

    from riverboat.errors import UsageError
    from riverboat.games.registry import make_game, parse_assignments
    from riverboat.players.roster import make_player, parse_spec

    given: dict[str, object] = dict(parse_assignments(parameters))
    if players is not None:
        if "players" in given:
            raise UsageError("Give the number of players once, with --players.")
        given["players"] = players
    spec = parse_spec("holdem:rules" if against == "equilibrium" else against)
    if spec.name == "blueprint" and spec.argument:
        from riverboat.cli.holdem.abstraction_commands import street_progress
        from riverboat.games.base import parameters_of
        from riverboat.holdem.abstraction.blueprint import Blueprint
        from riverboat.holdem.blueprint_player import blueprint_player

        with street_progress(quiet=False) as progress:
            blueprint = Blueprint.load(spec.argument, progress=progress)
        known = parameters_of(blueprint.rules)
        game = cast("Holdem", make_game("holdem", {**known, **given}))  # type: ignore[dict-item]
        return game, blueprint_player(game, spec, blueprint)
    game = cast("Holdem", make_game("holdem", given))  # type: ignore[arg-type]
    return game, make_player(game, spec.text)


@dataclass
class Sitting:
    """Hands, score, and what the blueprint would have done."""

    game: Holdem
    opponent: Player
    console: Console
    always_hint: bool
    played: int = 0
    score: float = 0.0
    finished: list[tuple[HoldemState, int]] = field(default_factory=list)

    def run(self, seat: int, hands: int, seed: int | None) -> None:
        import numpy as np

        game = self.game
        self.console.print(
            f"[bold]Texas hold'em[/], {game.players} players, blinds"
            f" {game.small_blind}/{game.big_blind}, against {self.opponent.name}."
            " q leaves the table.\n"
        )
        chance, play = np.random.default_rng(seed).spawn(2)
        try:
            while not hands or self.played < hands:
                mine = (seat or self.played % game.players + 1) - 1
                self._hand(mine, chance, play)
        except (LeaveTable, KeyboardInterrupt):
            self.console.print()
        if self.played:
            mean = self.score / self.played / (game.big_blind or 1) * 1000
            self.console.print(
                f"{self.played} hand{'s' * (self.played != 1)}, score {self.score:+g}"
                f" ({mean:+,.0f} mbb/g)."
            )

    def write(self, path: Path) -> None:
        """The finished hands as PHH, if there are any."""
        from riverboat.holdem.phh import write_phh, write_phhs
        from riverboat.strategies.files import atomic_write

        if not self.finished:
            return
        texts = []
        for number, (state, mine) in enumerate(self.finished, 1):
            names = [self.opponent.name] * self.game.players
            names[mine] = "you"
            texts.append(write_phh(state, players=names, hand=number))
        atomic_write(path, write_phhs(texts))
        self.console.print(f"saved {path}: riverboat phh {path}", markup=False, soft_wrap=True)

    def _hand(self, mine: int, chance: np.random.Generator, play: np.random.Generator) -> None:
        from riverboat.arena.hand import view_of
        from riverboat.cli.holdem.scene import action_words, seat_names, street_line
        from riverboat.games.base import CHANCE, TERMINAL

        game, console = self.game, self.console
        deck = [int(card) for card in chance.permutation(game.deck)]
        size = game.hole_cards
        state = game.with_hands([deck[size * p : size * (p + 1)] for p in range(game.players)])
        rest = deck[size * game.players :]
        names = list(seat_names(game.players))
        place = names[mine] if names[mine].startswith("under") else f"the {names[mine]}"
        console.print(f"[bold]Hand {self.played + 1}.[/] You are {place}.")
        names[mine] += " (you)"
        notes: list[str] = []
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal([rest.pop() for _ in range(state.pending)])
                console.print(street_line(state))
            elif state.actor == mine:
                state = state.after(self._ask(state, names, notes))
            else:
                action = self.opponent.choose(view_of(game, state), play)
                words = action_words(state, action, names[state.actor])
                console.print(f"  {words}", style="dim")
                state = state.after(action)
        self._result(state, names, mine, notes)

    def _ask(self, state: HoldemState, names: Sequence[str], notes: list[str]) -> Action:
        """The person's action; what the blueprint thinks of it is noted for afterwards."""
        from riverboat.cli.holdem.scene import action_words, scene

        console = self.console
        console.print(scene(state, names, state.actor))
        advice = self._advice(state)
        if self.always_hint and advice:
            console.print(f"  {advice}", style="cyan", markup=False)
        offer = "  ".join([*_offer(state), *["[?] hint"] * bool(advice), "[q] leave"])
        while True:
            try:
                text = console.input(f"  {offer} > ", markup=False).strip()
            except EOFError:
                raise LeaveTable from None
            wanted = _understood(state, text)
            if wanted == "q":
                raise LeaveTable
            if wanted == "?" and advice:
                console.print(f"  {advice}", style="cyan", markup=False)
            elif wanted in state.actions():
                notes.append(f"{action_words(state, wanted)}; {advice}" if advice else "")
                return wanted
            else:
                console.print(f"  {text!r} is not possible here.", markup=False)

    def _advice(self, state: HoldemState) -> str:
        """What the blueprint would do here, in one line."""
        from riverboat.cli.holdem.scene import action_words
        from riverboat.holdem.blueprint_player import BlueprintPlayer

        if not isinstance(self.opponent, BlueprintPlayer):
            return ""
        chances = self.opponent.blueprint.choices(state, self.opponent.salt)
        likely = sorted(chances.items(), key=lambda item: -item[1])
        return "blueprint: " + ", ".join(f"{c:.0%} {action_words(state, a)}" for a, c in likely)

    def _result(
        self, state: HoldemState, names: Sequence[str], mine: int, notes: Sequence[str]
    ) -> None:
        from riverboat.cli.holdem.scene import ending

        gain = state.returns()[mine]
        self.score += gain
        self.played += 1
        self.finished.append((state, mine))
        for line in ending(state, names):
            self.console.print(line)
        for note in filter(None, notes):
            self.console.print(f"  your {note}", style="cyan", markup=False)
        style = "green" if gain > 0 else "red" if gain < 0 else "yellow"
        self.console.print(f"  [{style}]{gain:+g}[/]   score {self.score:+g} after {self.played}\n")


def _offer(state: HoldemState) -> list[str]:
    """What may be written here, for the prompt."""
    from riverboat.cli.holdem.scene import action_words

    offer = ["[f] fold"] * (state.betting.to_call > 0) + [f"[c] {action_words(state, 'c')}"]
    raises = state.betting.raise_range()
    if raises is None:
        return offer
    low, high = raises
    if low == high:
        return [*offer, f"[r] {action_words(state, f'r{low}')}"]
    kind = "raise to" if max(state.betting.bets) else "bet"
    return [*offer, f"[r{low}…r{high}] {kind}", "[a] all-in"]


def _understood(state: HoldemState, text: str) -> str:
    """The action, ? or q that somebody means by what he wrote."""
    words = text.lower().split()
    if words and words[0] in ("r", "raise", "bet", "b"):
        words[0] = "r"
    wanted = "".join(word for word in words if word != "to")
    wanted = WORDS.get(wanted, wanted)
    raises = state.betting.raise_range()
    if raises is not None and (wanted == "a" or (wanted == "r" and raises[0] == raises[1])):
        return f"r{raises[1]}"
    return wanted
