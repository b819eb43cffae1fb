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
    from rich.table import Table
    from rich.text import Text

    from riverboat.games.base import Action
    from riverboat.games.holdem import Holdem, HoldemState
    from riverboat.players.base import Player

__all__ = ["play_holdem"]

POSITIONS = {
    2: ("big blind", "button"),
    3: ("small blind", "big blind", "button"),
    6: ("small blind", "big blind", "under the gun", "hijack", "cutoff", "button"),
}
SUITS = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "default")}


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
    from riverboat.players.registry import make_player, parse_spec

    given: dict[str, object] = dict(parse_assignments(parameters))
    if players is not None:
        if "players" in given:
            raise UsageError("Give the number of players once, with --players.")
        given["players"] = players
    spec = parse_spec("holdem:rules" if against == "equilibrium" else against)
    if spec.name == "blueprint" and spec.argument:
        from riverboat.abstraction.blueprint import Blueprint
        from riverboat.games.base import parameters_of
        from riverboat.players.blueprint import blueprint_player

        known = parameters_of(Blueprint.load(spec.argument).rules)
        game = cast("Holdem", make_game("holdem", {**known, **given}))  # type: ignore[dict-item]
        return game, blueprint_player(game, spec)
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

        blinds = f"blinds {self.game.small_blind}/{self.game.big_blind}"
        self.console.print(
            f"[bold]Texas hold'em[/], {self.game.players} players, {blinds}, against"
            f" {self.opponent.name}. q leaves the table.\n"
        )
        chance, play = np.random.default_rng(seed).spawn(2)
        try:
            while not hands or self.played < hands:
                mine = (seat or self.played % self.game.players + 1) - 1
                self._hand(mine, chance, play)
        except (LeaveTable, KeyboardInterrupt):
            self.console.print()
        if self.played:
            mean = self.score / self.played / (self.game.big_blind or 1) * 1000
            self.console.print(
                f"{self.played} hand{'s' * (self.played != 1)}, score {self.score:+g}"
                f" ({mean:+,.0f} mbb/g)."
            )

    def write(self, path: Path) -> None:
        """The finished hands as PHH."""
        from riverboat.interop.phh import write_phh, write_phhs
        from riverboat.strategies.files import atomic_write

        texts = []
        for number, (state, mine) in enumerate(self.finished, 1):
            names = [self.opponent.name] * self.game.players
            names[mine] = "you"
            texts.append(write_phh(state, players=names, hand=number))
        atomic_write(path, write_phhs(texts))

    def _hand(self, mine: int, chance: np.random.Generator, play: np.random.Generator) -> None:
        from riverboat.games.base import CHANCE, TERMINAL

        game = self.game
        deck = [int(card) for card in chance.permutation(game.deck)]
        size = game.hole_cards
        state = game.with_hands([deck[size * p : size * (p + 1)] for p in range(game.players)])
        rest = deck[size * game.players :]
        notes: list[str] = []
        self.console.print(f"[bold]Hand {self.played + 1}.[/] You are {self._name(mine, mine)}.")
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal([rest.pop() for _ in range(state.pending)])
            elif state.actor == mine:
                state = state.after(self._ask(state, notes))
            else:
                state = self._opponent_acts(state, mine, play)
        self._result(state, mine, notes)

    def _opponent_acts(
        self, state: HoldemState, mine: int, rng: np.random.Generator
    ) -> HoldemState:
        from riverboat.arena.table import view_of

        actor = state.actor
        action = self.opponent.choose(view_of(self.game, state), rng)
        self.console.print(f"  {self._name(actor, mine)} {_words(state, action)}", style="dim")
        return state.after(action)

    def _name(self, player: int, mine: int) -> str:
        names = POSITIONS.get(self.game.players)
        place = names[player] if names else f"player {player + 1}"
        return place if player != mine else f"{place} (you)"

    def _ask(self, state: HoldemState, notes: list[str]) -> Action:
        console, betting = self.console, state.betting
        console.print(self._scene(state, state.actor))
        advice = self._advice(state)
        if self.always_hint and advice:
            console.print(f"  {advice}", style="cyan", markup=False)
        raises = betting.raise_range()
        call = f"call {betting.to_call}" if betting.to_call else "check"
        offer = ["[f] fold"] * (betting.to_call > 0) + [f"[c] {call}"]
        if raises is not None:
            low, high = raises
            offer.append(f"[r{low}…r{high}] raise to  [a] all-in")
        offer += ["[h] hint"] * bool(advice) + ["[q] leave"]
        while True:
            try:
                text = console.input("  " + "  ".join(offer) + " > ", markup=False).strip()
            except EOFError:
                raise LeaveTable from None
            if text == "q":
                raise LeaveTable
            if text == "h" and advice:
                console.print(f"  {advice}", style="cyan", markup=False)
                continue
            wanted = text.replace(" ", "")
            if wanted == "a" and raises is not None:
                wanted = f"r{raises[1]}"
            if wanted in state.actions():
                notes.append(f"{_words(state, wanted)}: {advice}" if advice else "")
                return wanted
            console.print(f"  {text!r} is not possible here.", markup=False)

    def _advice(self, state: HoldemState) -> str:
        """What the blueprint would do here, in one line."""
        from riverboat.players.blueprint import BlueprintPlayer

        if not isinstance(self.opponent, BlueprintPlayer):
            return ""
        chances = self.opponent.blueprint.choices(state, self.opponent.salt)
        likely = sorted(chances.items(), key=lambda item: -item[1])
        return "blueprint: " + ", ".join(f"{_words(state, a)} {c:.0%}" for a, c in likely)

    def _scene(self, state: HoldemState, mine: int) -> Table:
        from rich.table import Table
        from rich.text import Text

        betting = state.betting
        board = _cards(state.board)
        title = (
            Text("board ") + (board if state.board else Text("–")) + Text(f"   pot {betting.pot}")
        )
        table = Table(title=title, title_justify="left", box=None, pad_edge=True)
        for name, justify in (
            ("", "left"),
            ("cards", "left"),
            ("stack", "right"),
            ("bet", "right"),
        ):
            table.add_column(name, justify="right" if justify == "right" else "left")
        for player, hand in enumerate(state.holes):
            shown = _cards(hand) if player == mine else Text("▒▒ ▒▒", style="dim")
            if not betting.in_hand[player]:
                shown = Text("folded", style="dim")
            bet = str(betting.bets[player]) if betting.bets[player] else ""
            marker = "▶ " if player == state.actor else "  "
            label = Text(marker + self._name(player, mine), style="bold" if player == mine else "")
            table.add_row(label, shown, str(betting.stacks[player]), bet)
        return table

    def _result(self, state: HoldemState, mine: int, notes: list[str]) -> None:
        from rich.text import Text

        gain = state.returns()[mine]
        self.score += gain
        self.played += 1
        self.finished.append((state, mine))
        line = Text("  ")
        if sum(state.betting.in_hand) > 1:
            line += Text("board ") + _cards(state.board)
            for player, hand in enumerate(state.holes):
                if state.betting.in_hand[player]:
                    line += Text(f"   {self._name(player, mine)} ") + _cards(hand)
        self.console.print(line)
        for note in filter(None, notes):
            self.console.print(f"  you {note}", style="cyan", markup=False)
        style = "green" if gain > 0 else "red" if gain < 0 else "yellow"
        self.console.print(f"  [{style}]{gain:+g}[/]   score {self.score:+g} after {self.played}\n")


def _words(state: HoldemState, action: Action) -> str:
    """An action in words: fold, check, call 4, bet 6, raise to 12, all-in."""
    betting = state.betting
    if action == "f":
        return "fold"
    if action == "c":
        return f"call {betting.to_call}" if betting.to_call else "check"
    amount = int(action[1:])
    if amount == betting.stacks[betting.queue[0]] + betting.bets[betting.queue[0]]:
        return f"all-in {amount}"
    return f"raise to {amount}" if max(betting.bets) else f"bet {amount}"


def _cards(cards: Sequence[int]) -> Text:
    from rich.text import Text

    from riverboat.cards.card import CARDS

    text = Text()
    for i, card in enumerate(cards):
        symbol, colour = SUITS[CARDS[card][1]]
        text.append(" " * (i > 0) + CARDS[card][0] + symbol, style=f"bold {colour}")
    return text
