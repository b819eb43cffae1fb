"""The part of a book that its training determines: `trained_part` leaves out the rest.

External-sampling MCCFR learns a decision as often as hands come to it. A line that comes up once in
100,000 hands has seen so few of them that its strategy is what training began with: such a book
folds aces. The number of visits of a hand at a decision is estimated by

    iterations · chance of the hand · how often all players, the deciding one too, play towards it

and what has too few visits is not shown, by any view:

1. **Lines.** A decision stays if a suited hand that always gets there has enough visits. With a
   decision all that follows it is left out.
2. **Hands.** A hand that seldom gets to a decision is marked as untrained there. So is one whose
   strategy loses by the book's own EVs, beyond their intervals: its training has not converged.
   Where the abstraction has one action only, nothing was learned.
3. **EVs.** The EV of an action counts the play that follows it. It is not known where the hand has
   taken the action too seldom. The EV of a fold is exact.
4. **Noise.** An average over all iterations keeps a little of the first ones. An action that is
   taken less than every tenth time and is worse than a frequent one beyond their joint interval is
   dropped (thresholding: Ganzfried, Sandholm and Waugh, AAMAS 2012).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from riverboat.cards.combos import NUM_CLASSES, NUM_COMBOS
from riverboat.holdem.preflop.node import CLASS_COMBOS, PreflopNode

if TYPE_CHECKING:
    from riverboat.holdem.preflop.solution import PreflopSolution
    from riverboat.runtime.array_types import F64, Bools

MIN_SHARE_OF_DEALS = 1 / 160_000
"""A hand is trained at a decision that it comes to at least this often, 10,000 times in the
shipped book. There suited hands are then nowhere worse than offsuit ones beyond chance."""
MIN_VISITS = 10  # The least number of visits, however short the training was
MAX_NOISE = 0.1  # Shares below may be left from the first iterations
MAX_OWN_LOSS = 0.5  # Big blinds that a trained mixture may lose by its own EVs, beyond chance
SUITED_COMBOS = 4
NODE_FIGURES = ("node_gains", "node_gains_ci95")


def trained_part(book: PreflopSolution) -> PreflopSolution:
    """Return a book without what its training does not determine.

    A book that does not say how long it was trained is returned as it is.
    """
    iterations = book.info.get("iterations")
    if not isinstance(iterations, int) or iterations <= 0:
        return book
    min_visits = max(MIN_VISITS, iterations * MIN_SHARE_OF_DEALS)
    kept: dict[tuple[str, ...], PreflopNode] = {}
    numbers, untrained = [], []
    # How often each seat plays each class towards a decision: before the noise is dropped, and
    # after it.
    reaches: dict[tuple[str, ...], tuple[dict[str, F64], dict[str, F64]]] = {}
    everything = {seat: np.ones(NUM_CLASSES) for seat in book.seats}
    for number, node in enumerate(book.nodes):
        if not node.line:
            reach, clean_reach = everything, everything
        elif node.line[:-1] in kept:
            before, clean, action = book.node(node.line[:-1]), kept[node.line[:-1]], node.line[-1]
            taken = before.actions.index(action)
            reach, clean_reach = (
                {**reached, at.seat: reached[at.seat] * at.frequencies[taken]}
                for reached, at in zip(reaches[before.line], (before, clean), strict=True)
            )
        else:
            untrained.append(node.line)
            continue
        shares = {seat: float(held @ CLASS_COMBOS) / NUM_COMBOS for seat, held in reach.items()}
        others = float(np.prod([share for seat, share in shares.items() if seat != node.seat]))
        hands = iterations * others * CLASS_COMBOS / NUM_COMBOS
        if node.line and iterations * others * SUITED_COMBOS / NUM_COMBOS < min_visits:
            untrained.append(node.line)
            continue
        kept[node.line] = _trained_node(
            node, hands * reach[node.seat], min_visits, clean_reach[node.seat]
        )
        reaches[node.line] = reach, clean_reach
        numbers.append(number)
    info = dict(book.info)
    for name in NODE_FIGURES:
        if name in info:
            info[name] = [info[name][number] for number in numbers]
    return book.with_nodes(list(kept.values()), info, untrained)


def _trained_node(node: PreflopNode, visits: F64, min_visits: float, reach: F64) -> PreflopNode:
    """Return a decision with `visits` (169,) of each class; `reach` (169,) is its new one."""
    frequencies = _without_noise(node)
    trained = (visits >= min_visits) & (_own_loss(node, frequencies) <= MAX_OWN_LOSS)
    trained &= len(node.actions) > 1
    folds = np.array([action == "f" for action in node.actions])
    known = trained & (visits * node.frequencies >= min_visits) | folds[:, None]
    errors = None if node.errors is None else np.where(known, node.errors, np.nan)
    return replace(
        node,
        frequencies=frequencies,
        values=np.where(known, node.values, np.nan),
        errors=errors,
        reach=reach,
        trained=trained,
    )


def _gaps(node: PreflopNode, compared: Bools) -> tuple[F64, F64]:
    """(A, 169) by how much the best of the `compared` (A, 169) actions has a higher EV than each
    action, and half the joint 95 % interval; the gap is 0 where an EV is not known.
    """
    known = ~np.isnan(node.values)
    values = np.where(known, node.values, 0.0)
    errors = np.zeros_like(values) if node.errors is None else np.nan_to_num(node.errors)
    candidates = np.where(known & compared, values, -np.inf)
    best = candidates.argmax(axis=0)[None]
    top, width = np.take_along_axis(candidates, best, 0), np.take_along_axis(errors, best, 0)
    gaps = np.where(known & np.isfinite(top), np.where(np.isfinite(top), top, 0.0) - values, 0.0)
    return gaps, np.hypot(errors, width)


def _without_noise(node: PreflopNode) -> F64:
    """(A, 169) the frequencies without rare actions that are clearly worse than a frequent one."""
    often = node.frequencies >= MAX_NOISE
    gaps, widths = _gaps(node, often)
    frequencies = np.where(~often & (gaps > widths), 0.0, node.frequencies)
    return np.asarray(frequencies / frequencies.sum(axis=0))


def _own_loss(node: PreflopNode, frequencies: F64) -> F64:
    """(169,) what each class loses by its mixture, by the EVs measured and beyond chance."""
    gaps, widths = _gaps(node, np.ones_like(node.frequencies, bool))
    return np.asarray((frequencies * np.maximum(gaps - widths, 0.0)).sum(axis=0))
