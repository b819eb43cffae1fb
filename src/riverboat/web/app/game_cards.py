"""Every registered game with its sentence and its picture, as pages list them."""

from __future__ import annotations

from dataclasses import dataclass

from riverboat.games.registry import GAMES, game_class


@dataclass(frozen=True)
class GameCard:
    """A game as a link to its table."""

    name: str
    title: str
    summary: str
    art: tuple[str, ...]


def game_cards() -> list[GameCard]:
    """The registered games, those of the user included."""
    return [_card(name) for name in GAMES]


def _card(name: str) -> GameCard:
    game = game_class(name)
    title = game.title.partition(",")[0].partition(" (")[0]
    summary = getattr(game, "summary", game.title)
    art = tuple(getattr(game, "art", ("?",)))
    return GameCard(name, title, "" if summary == title else summary, art)
