"""SequenceForm: a game folded to its players' sequences, all chance merged into payoffs.

A sequence of a player is what that player did on the way to a point: the empty one, or the last
slot (an action of an infoset) chosen. With perfect recall a play matters to the player only through
it, so that all terminals with the same tuple of sequences become one entry: payoff × chance,
summed. Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game
trees" (1994).

Sequences of all players share one numbering 0…S−1. Player p's are `bases[p]:bases[p + 1]`, the
empty sequence first. Player p's infosets are grouped by depth and number of actions; a group of n
infosets with k actions has its k·n sequences in action-major order, so that a sweep over a group
is k loops over n neighbours. With x the realisation plan of every player (x = 1 at the empty
sequences), the gain of sequence s is Σ values[e] · Π_j x[others[e, j]] over the entries e in
`rows[s]:rows[s + 1]`: a sparse matrix for two players, a sparse tensor for more, a vector for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import Cell, facts_table
from riverboat.errors import ParameterError
from riverboat.trees.game_tree import GameTree

if TYPE_CHECKING:
    from riverboat.trees._sequence_form_kernels import FormArrays


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm:
    """See above. Index arrays are unsigned: compiled loops then need no test for negatives."""

    tree: GameTree
    bases: NDArray[np.uint64]  # (P + 1,) the empty sequence of each player
    group_offsets: NDArray[np.uint64]  # (P + 1,) first group of each player
    groups: NDArray[np.uint64]
    """(G, 4) first sequence, infosets n, actions k, first place in `parents`; parents first."""
    parents: NDArray[np.uint32]
    """(I,) the sequence that leads to each infoset, in the order of the groups."""
    infosets: NDArray[np.int64]  # (I,) the tree's infoset at each place
    slots: NDArray[np.int64]  # (S,) the tree's slot of each sequence, −1 for the empty ones
    rows: NDArray[np.uint64]  # (S + 1,) entries of each sequence
    others: NDArray[np.uint32]
    """(E, P − 1) the other players' sequences, in the order of the players."""
    values: NDArray[np.float64]  # (E,) payoff of the row's player × probability of chance

    @cached_property
    def arrays(self) -> FormArrays:
        """The form as kernels take it."""
        from riverboat.trees._sequence_form_kernels import FormArrays

        return FormArrays(
            self.bases,
            self.group_offsets,
            self.groups,
            self.parents,
            self.rows,
            self.others,
            self.values,
        )

    @property
    def num_players(self) -> int:
        return len(self.bases) - 1

    @property
    def num_sequences(self) -> int:
        return len(self.slots)

    def __repr__(self) -> str:
        return (
            f"<SequenceForm {self.tree.game.name}: {self.num_sequences:,} sequences,"
            f" {len(self.infosets):,} infosets, {len(self.values):,} payoffs>"
        )

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Cell]] = [
            ("players", self.num_players),
            ("sequences", self.num_sequences),
            ("infosets", len(self.infosets)),
            ("payoffs", len(self.values)),
            ("groups", len(self.groups)),
        ]
        return facts_table(f"Sequence form of {self.tree.game.title}", facts)

    @property
    def widest(self) -> int:
        """Infosets of the largest group."""
        return int(self.groups[:, 1].max(initial=1))

    def to_slots(self, by_sequence: NDArray[np.float64]) -> NDArray[np.float64]:
        """(A,) what (S,) `by_sequence` says of the tree's slots."""
        result = np.empty(self.tree.num_slots)
        real = self.slots >= 0
        result[self.slots[real]] = by_sequence[real]
        return result

    def to_sequences(self, by_slot: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S,) what (A,) `by_slot` says of the sequences, 1 for the empty ones."""
        result = np.ones(self.num_sequences)
        real = self.slots >= 0
        result[real] = by_slot[self.slots[real]]
        return result

    def behaviour(self, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S,) probabilities from (S,) realisation plans or sums of them; uniform where zero."""
        result = np.ones(self.num_sequences)
        for first, n, k, _ in self.groups.astype(np.int64).tolist():
            block = plan[first : first + n * k].reshape(k, n)
            total = block.sum(axis=0)
            share = np.full((k, n), 1.0 / k)
            np.divide(block, total, out=share, where=total > 0)
            result[first : first + n * k] = share.ravel()
        return result


def sequence_form(tree: GameTree) -> SequenceForm:
    """Fold `tree`; ParameterError for a game in which a player forgets their own actions."""
    last = _last_slots(tree)
    order, sequence_of, layout = _number(tree, _parent_slots(tree, last))
    rows, others, values = _entries(tree, sequence_of, last, layout["bases"])
    return SequenceForm(
        tree=tree, infosets=order, rows=rows, others=others, values=values, **layout
    )


def _last_slots(tree: GameTree) -> NDArray[np.int64]:
    """(N, P) the slot each player chose last on the way to a history, −1 for none."""
    last = np.full((tree.num_histories, tree.num_players), -1, np.int64)
    player = np.where(tree.slot >= 0, tree.actor[tree.parent], -1)
    for first, end in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        last[first:end] = last[tree.parent[first:end]]
        chosen = first + np.flatnonzero(player[first:end] >= 0)
        last[chosen, player[chosen]] = tree.slot[chosen]
    return last


def _parent_slots(tree: GameTree, last: NDArray[np.int64]) -> NDArray[np.int64]:
    """(I,) the slot its player chose before each infoset, the same in all its histories."""
    decisions = np.flatnonzero(tree.actor >= 0)
    infoset = tree.infoset[decisions]
    before = last[decisions, tree.actor[decisions]]
    parent = np.full(tree.num_infosets, -1, np.int64)
    parent[infoset] = before
    wrong = np.flatnonzero(parent[infoset] != before)
    if len(wrong):
        raise ParameterError(
            f"{tree.game.name} cannot be solved, for it lacks perfect recall: at infoset"
            f" {tree.infosets[infoset[wrong[0]]]!r} the player no longer knows their own moves;"
            " that must be in the infoset's text."
        )
    return parent


def _number(
    tree: GameTree, parent: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Infosets in the order of the groups, the sequence of each slot, and the layout's arrays."""
    count = np.diff(tree.offsets)
    infoset_of = np.repeat(np.arange(tree.num_infosets), count)
    depth = np.zeros(tree.num_infosets, np.int64)
    for _ in range(len(tree.levels)):
        deeper = np.where(parent >= 0, depth[infoset_of[parent]] + 1, 0)
        if (deeper == depth).all():
            break
        depth = deeper
    order = np.lexsort((np.arange(tree.num_infosets), count, depth, tree.players))
    sequence_of = np.empty(tree.num_slots, np.int64)
    bases, group_offsets, groups = [], [0], []
    slots: list[NDArray[np.int64]] = []
    first = infoset = 0
    for player in range(tree.num_players):
        bases.append(first)
        slots.append(np.array([-1]))
        first += 1
        mine = order[tree.players[order] == player]
        edges = np.flatnonzero(np.diff(depth[mine]) | np.diff(count[mine])) + 1
        for group in np.split(mine, edges) if len(mine) else []:
            n, k = len(group), int(count[group[0]])
            block = (tree.offsets[group][None, :] + np.arange(k)[:, None]).ravel()
            sequence_of[block] = first + np.arange(k * n)
            slots.append(block)
            groups.append((first, n, k, infoset))
            first, infoset = first + k * n, infoset + n
        group_offsets.append(len(groups))
    above = parent[order]
    empty = np.array(bases)[tree.players[order]]
    layout: dict[str, NDArray[Any]] = {
        "bases": np.array([*bases, first], np.uint64),
        "group_offsets": np.array(group_offsets, np.uint64),
        "groups": np.array(groups, np.uint64).reshape(-1, 4),
        "parents": np.where(above >= 0, sequence_of[above], empty).astype(np.uint32),
        "slots": np.concatenate(slots).astype(np.int64),
    }
    return order, sequence_of, layout


def _entries(
    tree: GameTree,
    sequence_of: NDArray[np.int64],
    last: NDArray[np.int64],
    bases: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """The payoffs of every sequence: `rows`, `others` and `values` of SequenceForm."""
    players = range(tree.num_players)
    reach = tree.reach(np.ones(tree.num_slots))[tree.terminals]
    slots = last[tree.terminals]
    keys = np.where(slots >= 0, sequence_of[slots], bases[:-1].astype(np.int64))
    order = np.lexsort(keys.T[::-1])
    keys = keys[order]
    new = np.concatenate(([True], (keys[1:] != keys[:-1]).any(axis=1)))
    starts = np.flatnonzero(new)
    payoffs = np.add.reduceat((tree.returns * reach[:, None])[order], starts, axis=0)
    keys = keys[starts]

    own, others, values = [], [], []
    for p in players:
        used = np.flatnonzero(payoffs[:, p] != 0)
        mine = used[np.argsort(keys[used, p], kind="stable")]
        own.append(keys[mine, p])
        others.append(np.delete(keys[mine], p, axis=1))
        values.append(payoffs[mine, p])
    per_row = np.bincount(np.concatenate(own), minlength=int(bases[-1]))
    return (
        np.concatenate(([0], np.cumsum(per_row))).astype(np.uint64),
        np.ascontiguousarray(np.concatenate(others), dtype=np.uint32),
        np.concatenate(values),
    )
