"""Where each deck of a memory is drilled at this server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from riverboat.errors import RiverboatError
from riverboat.web.training.trainee import joined

if TYPE_CHECKING:
    from riverboat.web.site import Site


def drill_links(site: Site, decks: Iterable[str]) -> dict[str, str]:
    """Deck → the address of its drill; decks that are drilled elsewhere are left out.

    Parameters
    ----------
    site
        The server: its solved spots, its library.
    decks
        Names of decks, as a memory has them.
    """
    wanted = {deck: deck.partition(" ")[0] for deck in decks}
    found: dict[str, str] = {}
    if "spot" in wanted.values():
        found |= _of_spots(site)
    if "preflop" in wanted.values():
        found |= _of_preflop(site)
    for deck, kind in wanted.items():
        if kind == "blackjack":
            found |= _of_blackjack(deck)
        elif kind == "game":
            found |= _of_game(deck)
    return {deck: found[deck] for deck in wanted if deck in found}


def _of_spots(site: Site) -> dict[str, str]:
    from riverboat.holdem.spots.drill import deck_of

    return {
        deck_of(run.spot, run.order.locks, name): (
            f"/holdem/spots/{run.name}/drill?{urlencode({'side': name})}"
        )
        for run in list(site.spot_runs.known.values())
        if run.solved
        for name in run.spot.names
    }


def _of_preflop(site: Site) -> dict[str, str]:
    from riverboat.holdem.preflop.quiz import deck_of
    from riverboat.holdem.preflop.solution import SHIPPED
    from riverboat.web.holdem.preflop_solutions import open_solution

    found = {}
    names = [saved.name for saved in site.library.files() if saved.kind == "preflop"]
    for name in (*names, SHIPPED):
        try:
            solution = open_solution(site.library, name)
        except (RiverboatError, OSError):
            continue
        for seat in ("any", *solution.seats):
            query = urlencode({"side": seat})
            found[deck_of(solution, seat)] = f"/holdem/preflop/{quote(name)}/drill?{query}"
    return found


def _of_blackjack(deck: str) -> dict[str, str]:
    from riverboat.blackjack.casino.drills import rules_of_deck
    from riverboat.web.blackjack.table import query_of

    try:
        return {deck: f"/blackjack/train?{urlencode(query_of(rules_of_deck(deck)))}"}
    except RiverboatError:
        return {}


def _of_game(deck: str) -> dict[str, str]:
    from riverboat.games.registry import make_game, parse_assignments

    _, name, *changes = deck.split(" ")
    try:
        parameters = parse_assignments(changes)
        make_game(name, parameters)
    except RiverboatError:
        return {}
    return {deck: joined(f"/drill/{quote(name)}", list(parameters.items()))}
