"""What is to be seen of a twenty-one table, and its picture in characters.

A scene is brought up to date by the events of a table (twentyone.table_events), so that one
picture serves a game at this terminal, a seat at a remote dealer and a log being watched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.text import Text

from riverboat.cards.card import SUIT_SYMBOLS, SUITS
from riverboat.twentyone.events import Acted, Asked, Dealt, Event, Folded, Opened, Settled
from riverboat.twentyone.game import is_bust, is_soft, points

HIDDEN = "??"
SYMBOLS = dict(zip(SUITS, SUIT_SYMBOLS, strict=True))
WORDS = {"WIN": "won", "LOSE": "lost", "BUST": "bust", "PUSH": "push", "FORFEIT": "forfeit"}
STYLES = {"won": "bold #7fe08a", "lost": "#ff9a8b", "bust": "#ff9a8b", "push": "#ffd75f"}
MIN_SEAT, MAX_SEAT = 13, 26


@dataclass
class SeatScene:
    """The public view of one seat."""

    name: str
    cards: list[str] = field(default_factory=list)
    state: str = ""  # stands, bust, won, lost, push, forfeit; empty while the hand is played
    out: str = ""
    wins: int = 0
    pushes: int = 0
    losses: int = 0

    @property
    def score(self) -> int:
        return self.wins - self.losses


@dataclass
class Scene:
    """A table as its watchers see it; `me` is the seat of the person at this terminal."""

    seats: list[SeatScene] = field(default_factory=list)
    dealer: list[str] = field(default_factory=list)
    round: int = 0
    games: int = 0
    turn: int = -1
    me: int = -1

    def apply(self, event: Event) -> None:
        """Bring the scene up to date."""
        if isinstance(event, Opened):
            self.seats = [SeatScene(name) for name in event.names]
            self.games = event.games
            self.dealer, self.round, self.turn = [], 0, -1
        elif isinstance(event, Dealt):
            self._deal(event)
        elif isinstance(event, Acted):
            self._act(self.seats[event.seat], event)
        elif isinstance(event, Folded):
            seat = self.seats[event.seat]
            seat.out = event.reason or "left"
            seat.state = "out"
            if self.turn == event.seat:
                self._next_turn(self.turn + 1)
        elif isinstance(event, Asked):
            self.turn = event.seat
        elif isinstance(event, Settled):
            self._settle(event)

    def _deal(self, event: Dealt) -> None:
        self.round = event.round
        self.dealer = [HIDDEN, event.up]
        for seat, hand in zip(self.seats, event.hands, strict=True):
            seat.cards = list(hand or [])
            seat.state = "" if hand else "out"
        self._next_turn(0)

    def _act(self, seat: SeatScene, event: Acted) -> None:
        if event.action == "HIT":
            seat.cards.append(event.card)
            if not is_bust(seat.cards):
                return
            seat.state = "bust"
        else:
            seat.state = "stands"
        self._next_turn(event.seat + 1)

    def _next_turn(self, number: int) -> None:
        while number < len(self.seats) and self.seats[number].out:
            number += 1
        self.turn = number if number < len(self.seats) else -1

    def _settle(self, event: Settled) -> None:
        self.dealer = list(event.dealer)
        self.turn = -1
        for seat, word in zip(self.seats, event.results, strict=True):
            seat.wins += word == "WIN"
            seat.pushes += word == "PUSH"
            seat.losses += word not in ("WIN", "PUSH")
            seat.state = "out" if word == "FORFEIT" else WORDS[word]

    @property
    def mine(self) -> SeatScene | None:
        return self.seats[self.me] if 0 <= self.me < len(self.seats) else None

    @property
    def settled(self) -> bool:
        """Whether the round is over and its results are shown."""
        return any(seat.state in STYLES for seat in self.seats) and self.turn < 0


def picture(scene: Scene, width: int = 80) -> Text:
    """The table in characters, `width` columns wide; 15 lines high where one row seats all."""
    lines = [_heading(scene, width), Text()]
    lines += _dealer(scene, width)
    lines.append(Text())
    lines += _seats(scene, width)
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _heading(scene: Scene, width: int) -> Text:
    line = Text(" Twenty-one", style="bold")
    if scene.round:
        line.append(f"   round {scene.round:,}" + (f" of {scene.games:,}" if scene.games else ""))
    mine = scene.mine
    if mine is not None:
        total = f"{mine.wins} won, {mine.pushes} pushed, {mine.losses} lost   {mine.score:+d}"
        room = width - 1 - len(line)
        line.append((total if len(total) + 3 <= room else f"   {mine.score:+d}").rjust(room))
    return line


def _dealer(scene: Scene, width: int) -> list[Text]:
    title = Text("Dealer", style="bold")
    known = [card for card in scene.dealer if card != HIDDEN]
    if known and len(known) == len(scene.dealer):
        title.append(f"  {_total(scene.dealer)}", style="")
        if is_bust(scene.dealer):
            title.append("  bust", style=STYLES["won"])
    elif known:
        title.append(f"  shows {points(known)}")
    rows = _cards(scene.dealer, width // 2)
    return [_centre(title, width), *(_centre(row, width) for row in rows)]


def _seats(scene: Scene, width: int) -> list[Text]:
    if not scene.seats:
        return [_centre(Text("Nobody sits here yet."), width), *(Text() for _ in range(6))]
    in_row = max(1, min(len(scene.seats), width // MIN_SEAT))
    columns = max(MIN_SEAT, min(MAX_SEAT, width // in_row))
    indent = " " * max(0, (width - columns * in_row) // 2)
    blocks = [_seat(scene, number, columns) for number in range(len(scene.seats))]
    return [
        Text(indent).append_text(Text().join(row))
        for first in range(0, len(blocks), in_row)
        for row in zip(*blocks[first : first + in_row], strict=True)
    ]


def _seat(scene: Scene, number: int, columns: int) -> list[Text]:
    """Seven lines: name, points, four lines of cards, score."""
    seat = scene.seats[number]
    acts = number == scene.turn
    name = seat.name if len(seat.name) <= columns - 2 else seat.name[: columns - 3] + "…"
    style = "reverse bold" if acts else "bold" if number == scene.me else ""
    title = Text(f"▶{name}" if acts else f" {name}", style=style)
    total = Text(" ")
    if seat.cards:
        total.append(_total(seat.cards))
    if seat.state:
        total.append(f" {seat.state}", style=STYLES.get(seat.state, "dim"))
    rows = _cards(seat.cards, columns - 1)
    score = Text(f" {seat.score:+d}" if scene.round else "", style="dim")
    body = [Text(" ").append_text(row) for row in rows]
    lines = [title, total, *body, score]
    for line in lines:
        line.truncate(columns, pad=True)
    return lines


def _total(cards: Sequence[str]) -> str:
    soft = " soft" if is_soft(cards) and points(cards) < 21 else ""
    return f"{points(cards)}{soft}"


def _cards(cards: Sequence[str], columns: int) -> list[Text]:
    """A fan of cards in four lines: the last one whole, the others as far as there is room."""
    rows = [Text() for _ in range(4)]
    if not cards:
        return rows
    covered = len(cards) - 1
    step = next((s for s in (6, 4, 3, 2) if covered * s + 5 <= columns), 2)
    whole = 5 if covered * step + 5 <= columns else 3
    shown = cards[-((columns - whole) // step + 1) :]
    for index, card in enumerate(shown):
        last = index == len(shown) - 1
        for row, line in zip(rows, _card(card, whole if last else min(step, 5)), strict=True):
            row.append(line, style=_ink(card))
            if not last and step == 6:
                row.append(" ")
        if last and whole == 3:
            for row, edge in zip(rows, "┐││┘", strict=True):
                row.right_crop(1)
                row.append(edge, style=_ink(card))
    return rows


def _card(card: str, columns: int) -> list[str]:
    """The left `columns` columns of a card."""
    if card == HIDDEN:
        rows = ["┌───┐", "│░░░│", "│░░░│", "└───┘"]
    else:
        rank, suit = card[0], SYMBOLS[card[1]]
        wide = "10" if rank == "T" and columns > 2 else rank
        rows = ["┌───┐", f"│{wide:<3}│", f"│  {suit}│", "└───┘"]
        if columns < 5:
            rows[2] = f"│{suit}  │"
    return [row[:columns] for row in rows]


def _ink(card: str) -> str:
    if card == HIDDEN:
        return "#3a5a9b on #f4f1e6"
    return "bold #c8102e on #f4f1e6" if card[1] in "dh" else "bold #111111 on #f4f1e6"


def _centre(line: Text, width: int) -> Text:
    return Text(" " * max(0, (width - line.cell_len) // 2)).append_text(line)
