"""A solved spot at one node: its path, its actions, each player's range by classes, and hands.

The functions compute from a file and a node's id, so that their answers can be kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import BaseModel, Field

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.drawing.palette import action_colours
from riverboat.errors import UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.node_views import CardRow, next_cards, node_curves
from riverboat.runtime.array_types import F64
from riverboat.web.holdem.open_spots import open_spot

if TYPE_CHECKING:
    from riverboat.holdem.spots.node_groups import NodeGroups

START = "r:0"
"""The id of the node where a spot begins."""
ClassName = Annotated[str, Field(max_length=3, examples=["AKs"])]
MIN_TAKEN = 1e-9
"""The least share of a range for which an action has an EV."""


class NodeAction(BaseModel):
    """What the player who acts can do."""

    words: str
    node: str = Field(description="The node after it.")
    colour: str
    share: float = Field(description="How often the whole range takes it.")
    ev: float | None = Field(description="Mean EV in chips of the hands that take it.")


class StepAction(BaseModel):
    """An action of a step on the path."""

    words: str
    node: str
    colour: str
    share: float


class Step(BaseModel):
    """A step on the path to a node: a decision with its actions, or cards that were dealt."""

    node: str
    pot: float
    player: str | None = Field(description="Who acts there; none where a card is dealt.")
    taken: str = Field(description="The action in words, or the card.")
    actions: list[StepAction]

    @property
    def share(self) -> float:
        """How often what was done is done there."""
        return next((each.share for each in self.actions if each.words == self.taken), 1.0)


class ClassFigures(BaseModel):
    """One class of hands at a node: means over its hands, each as often as it is met."""

    combos: float = Field(description="Its hands that reach the node, weighted.")
    reach: float = Field(description="That number over all hands of the class.")
    ev: float | None
    equity: float | None
    strategy: list[float] | None = Field(description="Frequency of each action, where they act.")
    action_evs: list[float | None] | None = Field(description="EV of each action.")


class RangeSide(BaseModel):
    """A player's whole range at a node."""

    player: str
    folded: bool
    stack: float
    combos: float
    ev: float | None = Field(description="In chips from here on; with payouts the prize.")
    equity: float | None
    realisation: float | None = Field(description="EV / (equity · pot).")
    classes: dict[str, ClassFigures] = Field(
        description="Those that reach the node; hands of more than two cards have none."
    )


class SidePot(BaseModel):
    """A pot and who contends for it."""

    chips: float
    players: list[str]


class SpotNode(BaseModel):
    """A node of a solved spot."""

    node: str
    before: str | None
    kind: str = Field(description="decision, chance (a card comes), fold or showdown.")
    board: list[str]
    pot: float
    pots: list[SidePot] = Field(description="Main pot and side pots, where there are several.")
    acts: str | None = Field(description="Who acts.")
    actions: list[NodeAction]
    path: list[Step]
    sides: list[RangeSide]

    @property
    def player(self) -> int:
        """The number of the one who acts; −1 where nobody does."""
        return [side.player for side in self.sides].index(self.acts) if self.acts else -1


class NodePlace(BaseModel):
    """Where a node lies, and what can come next; of any number of hole cards."""

    node: str
    kind: str
    board: list[str]
    pot: float
    acts: str | None
    actions: list[StepAction]
    cards: list[str] = Field(description="Cards that may come, before one is dealt.")
    path: list[Step]


class HandLine(BaseModel):
    """One hand of a player at a node."""

    hand: str
    weight: float
    ev: float | None
    equity: float | None
    strategy: list[float] | None
    action_evs: list[float | None] | None


def spot_node(path: Path, node: str) -> SpotNode:
    """Return all that is shown of a node of the solved spot in a file."""
    at = open_spot(path).at(node)
    steps = _path(at)
    actions = _actions(at)
    return SpotNode(
        node=at.node_id,
        before=None if at.before is None else at.before.node_id,
        kind=at.kind.name.lower(),
        board=[card_text(card) for card in at.board],
        pot=at.pot,
        pots=[SidePot(chips=chips, players=list(names)) for chips, names in at.shared_pots()],
        acts=at.names[at.player] if at.player >= 0 else None,
        actions=actions,
        path=steps,
        sides=[_side(at, player) for player in range(len(at.names))],
    )


def node_place(path: Path, node: str) -> NodePlace:
    """Return where a node of the solved spot in a file lies, without its hands."""
    at = open_spot(path).at(node)
    means = at.mean_strategy() if at.player >= 0 else {}
    children = _children(at) if at.player >= 0 else []
    colours = action_colours(at.actions) if at.player >= 0 else []
    return NodePlace(
        node=at.node_id,
        kind=at.kind.name.lower(),
        board=[card_text(card) for card in at.board],
        pot=at.pot,
        acts=at.names[at.player] if at.player >= 0 else None,
        actions=[
            StepAction(words=words, node=child, colour=colour, share=means[words])
            for words, child, colour in zip(means, children, colours, strict=True)
        ],
        cards=at.cards_to_come,
        path=_path(at),
    )


def class_hands(path: Path, node: str, player: int, name: str) -> list[HandLine]:
    """Return the hands of a class that reach a node, with their figures."""
    at = open_spot(path).at(node)
    if name not in CLASS_NAMES:
        raise UsageError(f"{name[:20]!r} is no class of hands; write AKs, AKo or TT.")
    if at.solved.spot.hole_cards > 2:
        raise UsageError("Hands of four cards have no classes; read them in groups.")
    wanted = class_of_combos()[at.combos(player)] == CLASS_NAMES.index(name)
    live = wanted & (at.weights(player) > 0)
    hands, lines = at.hands(player), []
    for place in np.flatnonzero(live).tolist():
        found = at.figures(hands[place], player)
        lines.append(
            HandLine(
                hand=found.hand,
                weight=found.weight,
                ev=known(found.ev),
                equity=known(found.equity),
                strategy=None if found.strategy is None else list(found.strategy.values()),
                action_evs=None
                if found.action_evs is None
                else [known(value) for value in found.action_evs.values()],
            )
        )
    return lines


def spot_cards(path: Path, node: str) -> list[CardRow]:
    """Return each card that may come at a node, with what it does to the betting."""
    return next_cards(open_spot(path).at(node))


def spot_groups(path: Path, node: str, player: int | None, find: str) -> NodeGroups:
    """Return the groups of hands at a node; `find` narrows both ranges."""
    from riverboat.holdem.spots.node_groups import node_groups

    at = open_spot(path).at(node)
    return node_groups(at, find or None, player=player)


def spot_curves(path: Path, node: str, value: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """Return each range at a node as a named curve of equity (in per cent) or EV."""
    at = open_spot(path).at(node)
    scale = 100.0 if value == "equity" else 1.0
    return [
        (f"{at.names[c.player].upper()}, mean {scale * c.mean:.1f}", c.points(scale))
        for c in node_curves(at, value)
        if len(c.values) and c.player not in at.node.folded
    ]


def known(value: float) -> float | None:
    """A number, or None where it is not one: JSON has no NaN."""
    return float(value) if math.isfinite(value) else None


def _children(at: SpotCursor) -> list[str]:
    """The node ids after each action of a decision."""
    ids = []
    for action in at.bet_actions:
        code = action.code
        if code.startswith("b"):
            code = f"b{action.total + at.offset:.10g}"
        ids.append(f"{at.node_id}:{code}")
    return ids


def _path(at: SpotCursor) -> list[Step]:
    """Every step from the start to a node."""
    steps: list[Step] = []
    here = at
    while here.before is not None:
        before = here.before
        if before.player < 0:
            taken, actions = here.path[-1], list[StepAction]()
        else:
            children = _children(before)
            means = before.mean_strategy().values()
            colours = action_colours(before.actions)
            actions = [
                StepAction(words=words, node=child, colour=colour, share=share)
                for words, child, colour, share in zip(
                    before.actions, children, colours, means, strict=True
                )
            ]
            taken = before.actions[children.index(here.node_id)]
        acts = before.names[before.player] if before.player >= 0 else None
        steps.append(
            Step(node=before.node_id, pot=before.pot, player=acts, taken=taken, actions=actions)
        )
        here = before
    return steps[::-1]


def _actions(at: SpotCursor) -> list[NodeAction]:
    if at.player < 0:
        return []
    shares = at.weights(at.player) * at.meetings(at.player)
    total = float(shares.sum())
    live = shares > 0
    values, strategies = at.action_evs(), at.strategies
    rows = []
    named = zip(at.actions, _children(at), action_colours(at.actions), strict=True)
    means = at.mean_strategy()
    for number, (words, child, colour) in enumerate(named):
        taking = shares[live] * strategies[number, live]
        taken = float(taking.sum())
        ev = None
        if taken > MIN_TAKEN * total:
            ev = known(float(taking @ values[number, live]) / taken)
        rows.append(NodeAction(words=words, node=child, colour=colour, share=means[words], ev=ev))
    return rows


def _side(at: SpotCursor, player: int) -> RangeSide:
    whole = at.summary(player)
    return RangeSide(
        player=at.names[player],
        folded=player in at.node.folded,
        stack=at.stacks[player],
        combos=whole.weight,
        ev=known(whole.ev),
        equity=known(whole.equity),
        realisation=known(whole.realisation),
        classes=_classes(at, player) if at.solved.spot.hole_cards == 2 else {},
    )


def _classes(at: SpotCursor, player: int) -> dict[str, ClassFigures]:
    weights = at.weights(player)
    shares = weights * at.meetings(player)
    classes = class_of_combos()[at.combos(player)]
    means = _Means(classes, shares)
    combos = np.bincount(classes, np.where(shares > 0, weights, 0.0), NUM_CLASSES)
    sizes = np.bincount(class_of_combos(), minlength=NUM_CLASSES)
    evs, equities = means.of(at.evs(player)), means.of(at.equities(player))
    acts = player == at.player
    strategies = [means.of(row) for row in at.strategies] if acts else []
    action_evs = [means.of(row) for row in at.action_evs()] if acts else []
    return {
        CLASS_NAMES[number]: ClassFigures(
            combos=float(combos[number]),
            reach=min(1.0, float(combos[number]) / int(sizes[number])),
            ev=known(evs[number]),
            equity=known(equities[number]),
            strategy=[float(row[number]) for row in strategies] if acts else None,
            action_evs=_row(action_evs, number) if acts else None,
        )
        for number in np.flatnonzero(means.totals).tolist()
    }


def _row(values: Sequence[F64], number: int) -> list[float | None]:
    return [known(row[number]) for row in values]


class _Means:
    """Means over the hands of each class, weighted by shares."""

    def __init__(self, classes: np.ndarray, shares: F64) -> None:
        self.live = shares > 0
        self.classes, self.shares = classes[self.live], shares[self.live]
        self.totals = np.bincount(self.classes, self.shares, NUM_CLASSES)

    def of(self, values: F64) -> F64:
        """(169,) the mean of a value; NaN where no hand reaches the node."""
        sums = np.bincount(self.classes, self.shares * values[self.live], NUM_CLASSES)
        safe = np.where(self.totals > 0, self.totals, 1.0)
        return np.where(self.totals > 0, sums / safe, np.nan)
