"""The exact equilibrium of a two-player constant-sum game: the sequence-form linear program.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees"
(STOC 1994). The first player picks a realisation plan x and maximises what a best response
leaves them; v has one value for each infoset of the opponent, and one for the root:

    max v_root   with  Σ_a x(I, a) = x(parent of I),  x(empty) = 1,  x ≥ 0,
                       v(infoset of s) ≤ (Aᵀx)(s) + Σ v(infosets right after s)   for each s

The multipliers of the last rows are the opponent's plan, so one solve by HiGHS gives both
strategies. Infosets that a player's own plan never reaches do not matter for the value; there they
answer the others' plans as well as they can, so that a hint makes sense off the plan's path.

**Refined.** Most games have many equilibria, and the one above is any corner of the set: it need
not do more than keep the value against one who errs. `solve_refined` picks the corner to play:

1. plain LP: the value of the game;
2. the same LP where no player can avoid mistakes: x(s) ≥ ε^(own moves so far) × the chance to
   play s at random, for both players (Miltersen and Sørensen, "Computing a quasi-perfect
   equilibrium of a two-player game", Economic Theory 2010). Its solution is an
   opponent who errs now and then and otherwise plays as well as possible, also after mistakes;
3. for each player: the equilibrium strategy that wins most from that opponent,
   again an LP: v_root is held at the value and x · A · (trembling plan) is maximised.

It is the best answer to an opponent who errs rarely. One who errs at every move, or in another way,
may lose more to another equilibrium: `solve_against` takes the strategy of the opponent instead
of step 2.

The answer is an exact equilibrium for any ε; where the choice between equilibria depends on ε it
is the quasi-perfect one up to terms of that order. Cost: two to three times the plain LP.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError
from riverboat.solvers._lp_model import NEVER, Clock, Program
from riverboat.trees.best_response import RARE, evaluate_profile, realise_plainly, respond
from riverboat.trees.sequence_form import SequenceForm

TREMBLE = 0.01
"""How often a mistake is made where the refinement looks for the best answer to mistakes."""


class Refined(NamedTuple):
    """An equilibrium that answers mistakes, and another one to compare it with."""

    probabilities: NDArray[np.float64]  # (A,)
    corner: NDArray[np.float64]  # (A,) the plain LP's
    reached: NDArray[np.bool_]  # (A,) slots whose infosets both reach by their own moves


def check_solvable(form: SequenceForm) -> None:
    """Refuse what has no linear program; loads HiGHS, which takes longer than many an LP."""
    import highspy  # noqa: F401

    name = form.tree.game.name
    if form.num_players != 2:
        raise ParameterError(
            f"{name} has {form.num_players} players here and the LP solves two-player games only;"
            " take dcfr."
        )
    if not form.tree.constant_sum:
        raise ParameterError(f"{name} is not constant-sum, so it has no equilibrium LP; take dcfr.")


def solve_lp(form: SequenceForm, clock: Clock | None = None) -> NDArray[np.float64]:
    """(A,) equilibrium probabilities for the tree's slots; check_solvable must have passed."""
    program = Program(form, 0, clock or Clock(None))
    plan = _equilibrium(form, program, np.zeros(form.num_sequences))
    return _with_answers(form, plan, form.to_slots(form.behaviour(plan)), NEVER)


def solve_refined(form: SequenceForm, clock: Clock | None = None) -> Refined:
    """The equilibrium that wins most from an opponent who errs now and then; see above."""
    first = Program(form, 0, clock or Clock(None))
    plan = _equilibrium(form, first, np.zeros(form.num_sequences))
    value = _values(form, plan)
    mistaken = mistaken_plans(form, first)
    best = _best_against(form, first, mistaken, value)
    answers = form.to_slots(form.behaviour(mistaken))
    return Refined(
        _with_answers(form, best, answers, 0.0),
        _with_answers(form, plan, answers, 0.0),
        _reached(form, best) & _reached(form, plan),
    )


def solve_against(
    form: SequenceForm, others: NDArray[np.float64], clock: Clock | None = None
) -> NDArray[np.float64]:
    """(A,) of all equilibria the one that wins most from `others` (A,), in either seat."""
    first = Program(form, 0, clock or Clock(None))
    plan = _equilibrium(form, first, np.zeros(form.num_sequences))
    value = _values(form, plan)
    opposed = realise_plainly(form, form.to_sequences(others))
    best = _best_against(form, first, opposed, value)
    return _with_answers(form, best, others, 0.0)


def solve_restricted(
    form: SequenceForm, player: int, given: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """(A,) a player's restricted Nash response in their own slots; the other's are the mixture.

    The other plays (A,) `given` with the probability `share` and is free otherwise (Johanson,
    Zinkevich and Bowling 2007): a plan that may nowhere be below `share` times the given plan.
    """
    program = Program(form, player, Clock(None))
    lower = share * realise_plainly(form, form.to_sequences(given))
    mine, theirs = (slice(int(form.bases[p]), int(form.bases[p + 1])) for p in (player, 1 - player))
    plan = np.zeros(form.num_sequences)
    plan[mine], plan[theirs] = program.equilibrium(np.zeros(program.num_own), lower[theirs])
    return _with_answers(form, plan, form.to_slots(form.behaviour(plan)), NEVER)


def _values(form: SequenceForm, plan: NDArray[np.float64]) -> list[float]:
    """What each player gets when both follow (S,) plans."""
    probabilities = form.to_slots(form.behaviour(plan))
    return evaluate_profile(form, probabilities, compiled_from=RARE).value


def _best_against(
    form: SequenceForm, first: Program, others: NDArray[np.float64], value: list[float]
) -> NDArray[np.float64]:
    """(S,) both players' plans: of those sure of the value, the best against (S,) `others`."""
    split, second = int(form.bases[1]), Program(form, 1, first.clock)
    against = first.best_against(others[split:], value[0])
    return np.concatenate((against, second.best_against(others[:split], value[1])))


def mistaken_plans(form: SequenceForm, program: Program) -> NDArray[np.float64]:
    """(S,) how both would play if mistakes could not be avoided: step 2 above."""
    lower = _mistakes(form)
    return np.maximum(_equilibrium(form, program, lower), lower)


def _equilibrium(
    form: SequenceForm, program: Program, lower: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(S,) both players' plans in equilibrium where no plan may be below (S,) `lower`."""
    split = int(form.bases[1])
    return np.concatenate(program.equilibrium(lower[:split], lower[split:]))


def _mistakes(form: SequenceForm) -> NDArray[np.float64]:
    """(S,) how often each sequence is played by mistake alone."""
    lower = np.ones(form.num_sequences)
    for first, n, k, infoset in form.groups.astype(np.int64).tolist():
        above = lower[form.parents[infoset : infoset + n]] * (TREMBLE / k)
        lower[first : first + n * k] = np.tile(above, k)
    lower[form.bases[:-1].astype(np.int64)] = 0.0
    return lower


def _reached(form: SequenceForm, plan: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(A,) whether the player's own plan (S,) reaches the infoset of each slot."""
    offsets = form.tree.offsets
    reached = np.add.reduceat(form.to_slots(plan), offsets[:-1]) > 0
    return np.repeat(reached, np.diff(offsets))


def _with_answers(
    form: SequenceForm, plan: NDArray[np.float64], others: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    """(A,) behaviour from (S,) plans; where a player never comes, a best response to `others`."""
    result = form.to_slots(form.behaviour(plan))
    answers = [respond(form, others, player, tolerance=tolerance) for player in (0, 1)]
    player = np.repeat(form.tree.players, np.diff(form.tree.offsets))
    return np.where(_reached(form, plan), result, np.choose(player, answers))
