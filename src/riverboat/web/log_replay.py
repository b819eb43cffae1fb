"""A dealer's log, hand by hand at a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from nicegui import ui

from riverboat.errors import RiverboatError
from riverboat.twentyone.game import is_bust, points
from riverboat.twentyone.table_log import read_log
from riverboat.web.card_pictures import card
from riverboat.web.markup import Markup, Picture, tag
from riverboat.web.page_frame import error_note, panel

__all__ = ["Replay", "hands_of_log"]

MOST_LINES = 200_000


def hands_of_log(path: Path) -> list[dict[str, Any]]:
    """Every finished hand: table, round, names, each seat's cards, the dealer's and the results."""
    hands: list[dict[str, Any]] = []
    names: dict[int, list[str]] = {}
    open_hands: dict[int, dict[str, Any]] = {}
    for _, entry in islice(read_log(path), MOST_LINES):
        kind, table = entry["event"], int(entry.get("table", -1))
        if kind == "table":
            names[table] = list(entry["names"])
        elif kind == "deal":
            cards = [list(hand or []) for hand in entry["hands"]]
            open_hands[table] = {
                "table": table + 1,
                "round": entry["round"],
                "names": names.get(table, []),
                "cards": cards,
            }
        elif kind == "act" and table in open_hands and entry.get("card"):
            open_hands[table]["cards"][int(entry["seat"])].append(entry["card"])
        elif kind == "round" and table in open_hands:
            hand = open_hands.pop(table)
            hands.append({**hand, "dealer": entry["dealer"], "results": entry["results"]})
    return hands


class Replay:
    """Buttons forth and back through the hands of a log."""

    def __init__(self, logs: Sequence[Path], hand: int, address: str) -> None:
        """`hand` is the one to begin with, counted from 1; it stands in the address."""
        self.address = address
        with panel("Hand by hand", "← and → turn the pages."):
            try:
                self.hands = [each for path in logs for each in hands_of_log(path)]
            except (RiverboatError, KeyError, TypeError, ValueError, IndexError) as error:
                Picture(error_note(str(error) or "The log cannot be read."))
                return
            self.at = max(0, min(len(self.hands) - 1, hand - 1))
            self.picture = Picture(on_pick=self._turn)
            self._show()

    def _turn(self, text: str) -> None:
        step = {"back": -1, "forth": 1, "first": -len(self.hands), "last": len(self.hands)}
        self.at = max(0, min(len(self.hands) - 1, self.at + step.get(text, 0)))
        self._show()
        ui.navigate.history.replace(f"{self.address}?hand={self.at + 1}")

    def _show(self) -> None:
        if not self.hands:
            self.picture.show(tag("p", "The log has no finished hand.", cls="muted"))
            return
        self.picture.show(_hand(self.hands[self.at], self.at, len(self.hands)))


def _hand(hand: dict[str, Any], at: int, count: int) -> Markup:
    seats = [
        tag(
            "div",
            tag("span", name, cls="who"),
            tag("span", [card(text) for text in cards], cls="cards"),
            tag("span", f"{_points(cards)} · {str(result).lower()}", cls="what"),
            cls="seat",
        )
        for name, cards, result in zip(hand["names"], hand["cards"], hand["results"], strict=False)
        if cards
    ]
    dealer = tag(
        "div",
        tag("span", "dealer", cls="who"),
        tag("span", [card(text) for text in hand["dealer"]], cls="cards"),
        tag("span", _points(hand["dealer"]), cls="what"),
        cls="seat",
    )
    felt = tag(
        "div",
        tag("div", dealer, cls="seats"),
        tag("div", seats, cls="seats own"),
        cls="felt replay",
    )
    moves = [
        tag("button", words, type="button", cls="btn", data_pick=pick, data_key=key)
        for words, pick, key in (
            ("first", "first", None),
            ("← back", "back", "ArrowLeft"),
            ("forth →", "forth", "ArrowRight"),
            ("last", "last", None),
        )
    ]
    where = f"hand {at + 1:,} of {count:,}: table {hand['table']}, round {hand['round']}"
    return tag(
        "div", tag("div", moves, tag("span", where, cls="muted"), cls="moves"), felt, cls="options"
    )


def _points(cards: list[str]) -> str:
    return "bust" if is_bust(cards) else f"{points(cards)} points"
