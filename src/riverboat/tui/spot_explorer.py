"""The screen of a solved spot: the grid to the left, the node and the chosen hands to the right.

In a narrow window the hands are below the grid. A key shows groups of hands in place of the hands.
"""

from __future__ import annotations

from typing import ClassVar

from rich.console import Group
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import Key, Resize
from textual.widgets import Footer, Static

from riverboat.cards.card import RANKS_DOWN, SUITS_DOWN
from riverboat.cards.combos import CLASS_NAMES, class_of_combos, parse_combo
from riverboat.cards.hand_groups import KINDS
from riverboat.drawing.grid_text import GridText
from riverboat.drawing.palette import action_colours
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.node_views import node_grid
from riverboat.holdem.spots.tree import NodeKind
from riverboat.tui.spot_text import cards_text, whose_turn


class SpotExplorer(App[None]):
    """Walks a solved spot. Arrows move in the grid, digits play actions, enter deals a card."""

    TITLE = "Spot"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #left { width: 80; height: auto; padding: 1 1; }
    #right { padding: 1 1; }
    #help { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace,b", "step_back", "Back", key_display="b"),
        Binding("r", "root", "Root"),
        Binding("tab,p", "player", "Other player", key_display="p"),
        Binding("g", "groups", "Groups"),
        Binding("q,ctrl+q", "quit", "Quit", key_display="q"),
    ]

    def __init__(self, cursor: SpotCursor) -> None:
        super().__init__()
        self.cursor = cursor
        self.chosen = 0
        """The class that is looked at, 0 to 168; at a card to be dealt, the card's place."""
        self.player: int | None = None
        self.grouped = 0
        """What stands below the node: 0 the hands of a class, 1 … 4 a kind of groups. Hands of four
        cards have groups 0 … 3 in place of the grid."""
        self.message = ""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(id="left")
            with VerticalScroll(id="right"):
                yield Static(id="facts")
        yield Static(id="help")
        yield Footer()

    def on_mount(self) -> None:
        self.show()

    def on_resize(self, event: Resize) -> None:
        self.show(event.size.width)

    @property
    def deals(self) -> bool:
        return self.cursor.kind == NodeKind.CHANCE

    @property
    def card(self) -> str:
        """The card that is chosen where one is dealt."""
        return RANKS_DOWN[self.chosen % 13] + SUITS_DOWN[self.chosen // 13 % 4]

    def on_key(self, event: Key) -> None:
        moves = {"up": -13, "down": 13, "left": -1, "right": 1}
        if event.key in moves:
            rows = 4 if self.deals else 13
            self.chosen = (self.chosen + moves[event.key]) % (13 * rows)
        elif event.key.isdigit() and 1 <= int(event.key) <= len(self.cursor.actions):
            self._go(self.cursor.play(self.cursor.actions[int(event.key) - 1]))
        elif event.key == "enter" and self.deals:
            if self.card in self.cursor.cards_to_come:
                self._go(self.cursor.deal(self.card))
            else:
                self.message = f"{self.card} lies on the board already."
        else:
            return
        event.stop()
        self.show()

    def _go(self, cursor: SpotCursor) -> None:
        self.cursor, self.player, self.message = cursor, None, ""
        if cursor.kind == NodeKind.CHANCE:
            self.chosen %= 52

    def action_step_back(self) -> None:
        self._go(self.cursor.back())
        self.show()

    def action_root(self) -> None:
        self._go(self.cursor.root)
        self.show()

    def action_player(self) -> None:
        self.player = (self.cursor.acting(self.player) + 1) % len(self.cursor.names)
        self.show()

    def action_groups(self) -> None:
        self.grouped = (self.grouped + 1) % (len(KINDS) + (not self.many_cards))
        self.show()

    def show(self, width: int = 0) -> None:
        """Draw everything anew, `width` columns wide, or as wide as the screen is."""
        width = width or self.size.width
        columns = 6 if width >= 140 else 4 if width >= 100 else 3
        self.query_one(Horizontal).styles.layout = "horizontal" if width >= 72 else "vertical"
        left = self.query_one("#left", Static)
        left.styles.width = 13 * columns + 2
        if self.deals:
            left.update(self._runouts())
        elif self.many_cards:
            left.styles.width = "1fr"
            left.update(self._groups(self.cursor.acting(self.player), self.grouped))
        else:
            left.update(GridText(node_grid(self.cursor, self.player), self.chosen))
        self.query_one("#facts", Static).update(self._facts())
        self.query_one("#help", Static).update(self.message or self._keys())

    def _keys(self) -> str:
        if self.deals:
            return f"arrows choose a card, enter deals {self.card}"
        plays = "  ".join(f"{i} {action}" for i, action in enumerate(self.cursor.actions, 1))
        if self.many_cards:
            return f"g shows other groups   {plays}"
        return f"arrows move in the grid   {plays}"

    def _facts(self) -> Group:
        cursor, who = self.cursor, self.cursor.acting(self.player)
        head = cards_text(cursor)
        head.append(f"  pot {cursor.pot:g}")
        parts: list[Text | Table] = [head, Text(cursor.node_id, "dim"), Text(whose_turn(cursor))]
        pots = cursor.shared_pots()
        if len(pots) > 1:
            named = [f"{chips:g} ({', '.join(names).upper()})" for chips, names in pots]
            parts.append(Text(f"pots: {', '.join(named)}"))
        for player, name in enumerate(cursor.names):
            whole = cursor.summary(player)
            mark = "▸ " if player == who else "  "
            shown = "no hand reaches this node"
            if player in cursor.node.folded:
                shown = "has folded"
            elif whole.ev == whole.ev:
                shown = f"EV {whole.ev:z.3f}  equity {whole.equity:.1%}"
            parts.append(Text(f"{mark}{name.upper():<3} {shown}"))
        strategy = cursor.summary().strategy or {}
        for number, ((action, share), colour) in enumerate(
            zip(strategy.items(), action_colours(cursor.actions), strict=True), 1
        ):
            line = Text(f"{number} ", "bold")
            line.append(f"{action:<15}")
            line.append(" " * max(1, round(20 * share)), Style(bgcolor=colour))
            line.append(f" {share:.1%}")
            parts.append(line)
        if not self.deals and not self.many_cards:
            last = self._groups(who, self.grouped - 1) if self.grouped else self._hands(who)
            parts += [Text(""), last]
        return Group(*parts)

    @property
    def many_cards(self) -> bool:
        """Whether hands have more than two cards, and so no grid."""
        return self.cursor.solved.spot.hole_cards > 2

    def _groups(self, who: int, number: int) -> Table:
        """The groups of one kind that the player's hands are in."""
        from riverboat.holdem.spots.node_groups import node_groups

        kind = tuple(KINDS)[number]
        groups = node_groups(self.cursor, player=who)
        table = Table(box=None, pad_edge=False)
        table.add_column(kind)
        plays = [action.label for action in self.cursor.bet_actions] if groups.actions else []
        for name in ("share", "EV", "eq", *plays):
            table.add_column(name, justify="right", no_wrap=True)
        for row in groups.groups(kind):
            mine = row.players[who]
            if mine.share:
                played = [f"{share:.0%}" for share in (row.strategy or {}).values()]
                facts = f"{mine.share:.1%}", f"{mine.ev:z.1f}", f"{mine.equity:.0%}"
                table.add_row(row.name, *facts, *played)
        return table

    def _hands(self, who: int) -> Table | Text:
        """The hands of the chosen class."""
        cursor = self.cursor
        table = Table(
            box=None, pad_edge=False, title=CLASS_NAMES[self.chosen], title_justify="left"
        )
        table.add_column("hand", no_wrap=True, min_width=4)  # never cut: it names the row
        plays = [action.label for action in cursor.bet_actions] if who == cursor.player else []
        tight = self.size.width < 100 and len(plays) > 2
        for name in ("EV", "eq", *plays) if tight else ("share", "EV", "eq", *plays):
            table.add_column(name, justify="right", no_wrap=True)
        classes = class_of_combos()
        for hand in cursor.hands(who):
            if classes[parse_combo(hand)] != self.chosen:
                continue
            row = cursor.figures(hand, who)
            if row.weight <= 0:
                continue
            played = [f"{share:.0%}" for share in (row.strategy or {}).values()]
            share = [] if tight else [f"{row.weight:.2f}"]
            table.add_row(hand, *share, f"{row.ev:z.1f}", f"{row.equity:.0%}", *played)
        if not table.row_count:
            return Text(f"{CLASS_NAMES[self.chosen]} is not in the range here", "italic")
        return table

    def _runouts(self) -> Table:
        """What each next card makes of a player's EV: blue is low, orange high."""
        who = self.cursor.acting(self.player)
        tight = self.size.width < 100
        title = f"EV of {self.cursor.names[who].upper()} after each card"
        table = Table(box=None, padding=0, title=title)
        table.add_column("")
        for rank in RANKS_DOWN:
            table.add_column(rank, justify="right", width=2 if tight else 3)
        values = runout_values(self.cursor, who)
        known = [value for value in values.values() if value == value]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        for suit_row, suit in enumerate(SUITS_DOWN):
            row = [Text(f"{suit} ", "bold")]
            for column, rank in enumerate(RANKS_DOWN):
                value = values.get(rank + suit, float("nan"))
                chosen = 13 * suit_row + column == self.chosen % 52
                text = f"{value:z.0f}" if value == value else "·"
                share = (value - low) / (high - low) if value == value and high > low else 0.5
                style = Style(color="black", bgcolor=_shade(share)) if value == value else Style()
                row.append(Text(text, style + Style(reverse=chosen, bold=chosen)))
            table.add_row(*row)
        return table


def runout_values(cursor: SpotCursor, player: int) -> dict[str, float]:
    """Card → a player's EV after it, at a node where a card is dealt."""
    return {card: cursor.deal(card).summary(player).ev for card in cursor.cards_to_come}


def _shade(share: float) -> str:
    """From blue (low) over white to orange (high)."""
    blue, white, orange = (90, 140, 200), (240, 240, 240), (235, 150, 60)
    first, second, part = (
        (blue, white, 2 * share) if share < 0.5 else (white, orange, 2 * share - 1)
    )
    mixed = (round(a + (b - a) * part) for a, b in zip(first, second, strict=True))
    return "rgb({},{},{})".format(*mixed)
