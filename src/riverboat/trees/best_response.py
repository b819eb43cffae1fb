"""What each player gets and could get against given probabilities, on either kind of tree.

One pass down (realisation plans) and one up (values) for all players: some ten microseconds on
Leduc, so that a solver can evaluate its exploitability often. On a SequenceForm the passes are
written twice: in NumPy below, the oracle of the compiled ones, which also answers for the smallest
games (Kuhn), where loading the compiler would take a thousand times longer than the work.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import html_table
from riverboat.trees.public_tree import PublicTree
from riverboat.trees.sequence_form import SequenceForm

if TYPE_CHECKING:
    from riverboat.trees._public_kernels import TreeArrays


SMALL = 1_000  # Entries up to which NumPy is quick enough
RARE = 1_000_000  # The same for callers that ask only a few times
LARGE = 1_000  # Nodes from which on it pays to compile kernels for the tree's number of lanes


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How good a strategy for all players is, in the game's own units."""

    value: list[float]
    """What each player gets when all follow the strategy."""
    best_response: list[float]
    """What each player would get by answering the others as well as possible."""

    @property
    def nash_conv(self) -> float:
        """The sum over players of what a best response gains; 0 exactly at an equilibrium."""
        pairs = zip(self.best_response, self.value, strict=True)
        return max(0.0, sum(best - value for best, value in pairs))

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players: NashConv / 2 for two."""
        return self.nash_conv / len(self.value)

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "value": list(self.value),
            "best_response": list(self.best_response),
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
        }

    def __repr__(self) -> str:
        value = " ".join(f"{value:+z.6f}" for value in self.value)
        return f"<Evaluation value {value}, exploitability {self.exploitability:.3g}>"

    def _repr_html_(self) -> str:
        pairs = enumerate(zip(self.value, self.best_response, strict=True), 1)
        rows = [(player, f"{value:+z.6f}", f"{best:+z.6f}") for player, (value, best) in pairs]
        note = f"exploitability {self.exploitability:.3g}, NashConv {self.nash_conv:.3g}"
        return html_table(("player", "value", "best response"), rows, note=note)


def evaluate_profile(
    form: SequenceForm, probabilities: NDArray[np.float64], *, compiled_from: int = SMALL
) -> Evaluation:
    """Evaluate (A,) probabilities of the tree's slots."""
    if len(form.values) <= compiled_from:
        return evaluate_plainly(form, probabilities)
    from riverboat.trees._sequence_form_kernels import nash_conv

    plan, gains, scratch = _plans(form, probabilities)
    value, best = np.empty(form.num_players), np.empty(form.num_players)
    nash_conv(form.arrays, plan, gains, scratch, value, best)
    return Evaluation(value.tolist(), best.tolist())


def evaluate_plainly(form: SequenceForm, probabilities: NDArray[np.float64]) -> Evaluation:
    """The same in NumPy."""
    plan = realise_plainly(form, form.to_sequences(probabilities))
    gains = gain_plainly(form, plan)
    mine = [slice(int(a), int(b)) for a, b in itertools.pairwise(form.bases.tolist())]
    value = [float(plan[own] @ gains[own]) for own in mine]
    _answer_plainly(form, gains)
    return Evaluation(value, [float(gains[own.start]) for own in mine])


def realise_plainly(form: SequenceForm, behaviour: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S,) realisation plans: the products of (S,) behaviour along each player's sequences."""
    plan = np.ones(form.num_sequences)
    for first, n, k, infoset in form.groups.astype(np.int64).tolist():
        block = slice(first, first + n * k)
        plan[block] = behaviour[block] * np.tile(plan[form.parents[infoset : infoset + n]], k)
    return plan


def gain_plainly(form: SequenceForm, plan: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S,) what each sequence earns where the play then ends."""
    gains = np.zeros(form.num_sequences)
    rows = form.rows.astype(np.int64)
    owner = np.repeat(np.arange(form.num_sequences), rows[1:] - rows[:-1])
    np.add.at(gains, owner, form.values * plan[form.others].prod(axis=1))
    return gains


def _answer_plainly(form: SequenceForm, gains: NDArray[np.float64]) -> None:
    """Add to (S,) `gains` the value of the best play that follows each sequence."""
    for first, n, k, infoset in reversed(form.groups.astype(np.int64).tolist()):
        best = gains[first : first + n * k].reshape(k, n).max(axis=0)
        np.add.at(gains, form.parents[infoset : infoset + n], best)


def respond(
    form: SequenceForm,
    probabilities: NDArray[np.float64],
    player: int,
    *,
    tolerance: float | None = None,
) -> NDArray[np.float64]:
    """(A,) `probabilities` with a best response to the others in the player's own slots.

    It is pure, the first of equally good actions, also where the others never let it happen; or
    with a `tolerance` even between all actions that come so close to the best.
    """
    gains = gain_plainly(form, realise_plainly(form, form.to_sequences(probabilities)))
    _answer_plainly(form, gains)
    answer = probabilities.copy()
    first, last = int(form.group_offsets[player]), int(form.group_offsets[player + 1])
    for start, n, k, _ in form.groups[first:last].astype(np.int64).tolist():
        slots = form.slots[start : start + n * k].reshape(k, n)
        by_action = gains[start : start + n * k].reshape(k, n)
        if tolerance is None:
            chosen = np.arange(k)[:, None] == by_action.argmax(axis=0)
        else:
            chosen = by_action >= by_action.max(axis=0) - tolerance
        answer[slots] = chosen / chosen.sum(axis=0)
    return answer


def _plans(
    form: SequenceForm, probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Realisation plans (S,), and work space for gains (S,) and for a group."""
    from riverboat.trees._sequence_form_kernels import realise

    behaviour = form.to_sequences(probabilities)
    plan, gains = np.empty_like(behaviour), np.empty_like(behaviour)
    scratch = np.empty(form.widest)
    for player in range(form.num_players):
        realise(np.uint64(player), form.arrays, behaviour, plan, scratch)
    return plan, gains, scratch


def tree_arrays(tree: PublicTree, *, fixed: bool = True) -> TreeArrays:
    """The tree as kernels take it; `fixed` lets them be compiled for its lanes if it is large."""
    from riverboat.trees._public_kernels import TreeArrays

    shapes = tree.shapes
    return TreeArrays(
        actor=shapes.actor,
        slot_offsets=shapes.slot_offsets,
        slot_table=shapes.slot_table,
        sizes=shapes.sizes,
        edge_slot=shapes.edge_slot,
        edge_weight=shapes.edge_weight,
        edge_child=shapes.edge_child,
        node_edge=tree.node_edge,
        node_depth=tree.node_depth,
        node_slot=tree.node_slot,
        payoffs=shapes.payoffs.ravel(),
        num_tables=shapes.num_tables,
        num_lanes=shapes.num_lanes,
        max_depth=shapes.max_depth,
        max_actions=int(shapes.num_slots.max()),
        fixed_lanes=(0,) * (shapes.num_lanes if fixed and tree.num_nodes >= LARGE else 0),
    )


def lane_values(
    tree: PublicTree, weights: NDArray[np.float64], responder: int = -1
) -> NDArray[np.float64]:
    """(2, L) what each hand adds to its player's value when both play `weights` (S, L).

    A responder plays a best response instead, and only the responder's row means something.
    """
    from riverboat.trees._public_kernels import evaluate

    arrays = tree_arrays(tree)
    out = np.zeros(2 * arrays.num_lanes)
    evaluate(arrays, weights.ravel(), responder, np.empty(0), out)
    return out.reshape(2, -1)


def load_evaluation(tree: PublicTree) -> None:
    """Have the kernel compiled or read from its cache for this tree, without evaluating it."""
    from riverboat.trees._public_kernels import evaluate

    arrays = tree_arrays(tree)._replace(node_edge=np.empty(0, np.int32))
    evaluate(arrays, np.empty(0), -1, np.empty(0), np.zeros(2 * arrays.num_lanes))


def evaluate_public(tree: PublicTree, weights: NDArray[np.float64]) -> Evaluation:
    """Each player's value under `weights` (S, L), and what an exact best response would get."""
    value = lane_values(tree, weights).sum(axis=1)
    best = [float(lane_values(tree, weights, player)[player].sum()) for player in (0, 1)]
    return Evaluation(value.tolist(), best)


def respond_public(
    tree: PublicTree, weights: NDArray[np.float64], player: int
) -> NDArray[np.float64]:
    """(S, L) `weights` with a pure best response to the other in the player's own slots."""
    from riverboat.trees._public_kernels import evaluate

    arrays = tree_arrays(tree)
    answer, out = np.zeros(weights.size), np.zeros(2 * arrays.num_lanes)
    evaluate(arrays, weights.ravel(), player, answer, out)
    actor = tree.shapes.actor[tree.shapes.edge_child[tree.node_edge]]
    own = np.repeat(actor == player, np.diff(tree.node_slot))
    rows = weights.reshape(tree.num_slots, -1)
    return np.where(own[:, None], answer.reshape(rows.shape), rows)
