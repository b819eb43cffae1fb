"""What each player gets and could get against given probabilities, on a SequenceForm.

One pass down (realisation plans) and one up (values) for all players: some ten microseconds on
Leduc, so that a solver can look at its exploitability as often as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.notebook import html_table
from riverboat.trees.sequence_form import SequenceForm

__all__ = ["Evaluation", "evaluate_profile", "respond"]


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
        value = " ".join(f"{value:+.6f}" for value in self.value)
        return f"<Evaluation value {value}, exploitability {self.exploitability:.3g}>"

    def _repr_html_(self) -> str:
        pairs = enumerate(zip(self.value, self.best_response, strict=True), 1)
        rows = [(player, f"{value:+.6f}", f"{best:+.6f}") for player, (value, best) in pairs]
        note = f"exploitability {self.exploitability:.3g}, NashConv {self.nash_conv:.3g}"
        return html_table(("player", "value", "best response"), rows, note=note)


def evaluate_profile(form: SequenceForm, probabilities: NDArray[np.float64]) -> Evaluation:
    """Evaluate (A,) probabilities of the tree's slots."""
    from riverboat.trees.sequence_form_kernels import nash_conv

    plan, gains, scratch = _plans(form, probabilities)
    value, best = np.empty(form.num_players), np.empty(form.num_players)
    nash_conv(
        form.bases, form.group_offsets, form.groups, form.parents, form.rows, form.others,
        form.values, plan, gains, scratch, value, best,
    )  # fmt: skip
    return Evaluation(value.tolist(), best.tolist())


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
    from riverboat.trees.sequence_form_kernels import best_response, gradient

    p = np.uint64(player)
    plan, gains, scratch = _plans(form, probabilities)
    gradient(p, form.bases, form.rows, form.others, form.values, plan, gains)
    best_response(
        p, form.bases, form.group_offsets, form.groups, form.parents, gains, scratch
    )  # fmt: skip
    answer = probabilities.copy()
    first, last = int(form.group_offsets[player]), int(form.group_offsets[player + 1])
    for start, n, k, _ in form.groups[first:last].astype(np.int64).tolist():
        slots = form.slots[start : start + n * k].reshape(k, n)
        worth = gains[start : start + n * k].reshape(k, n)
        if tolerance is None:
            chosen = np.arange(k)[:, None] == worth.argmax(axis=0)
        else:
            chosen = worth >= worth.max(axis=0) - tolerance
        answer[slots] = chosen / chosen.sum(axis=0)
    return answer


def _plans(
    form: SequenceForm, probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Realisation plans (S,), and work space for gains (S,) and for a group."""
    from riverboat.trees.sequence_form_kernels import realise

    behaviour = form.to_sequences(probabilities)
    plan, gains = np.empty_like(behaviour), np.empty_like(behaviour)
    scratch = np.empty(form.widest)
    for player in range(form.num_players):
        realise(
            np.uint64(player), form.bases, form.group_offsets, form.groups, form.parents,
            behaviour, plan, scratch,
        )  # fmt: skip
    return plan, gains, scratch
