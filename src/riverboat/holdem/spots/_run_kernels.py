"""Runs of equally strong hands, numbered subset by subset: the tables of `_subset_tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy import uint64

from riverboat.runtime.compiled import njit

if TYPE_CHECKING:
    from riverboat.runtime.array_types import I32, I64, U16


@njit(cache=True, nogil=True)
def find_runs(
    order: I64,
    strengths: U16,
    size: int,
    stride: int,
    subsets: tuple[I32, I32],
    runs: tuple[I32, I32],
    num_runs: I32,
) -> None:
    """Number the runs of one board, subset by subset from 0 on.

    `order` has the hands that the board leaves, weakest first; from `size` on they are the second
    player's. `num_runs` (subsets + 1,) must be zero; from element 1 on it counts each one's runs.
    """
    first_subsets, second_subsets = subsets
    first_runs, second_runs = runs
    last = np.full(num_runs.shape[0], -1, np.int32)
    for i in range(order.shape[0]):
        hand = order[i]
        value = np.int32(strengths[hand])
        own, row, at = first_subsets, first_runs, hand * stride
        if hand >= size:
            own, row, at = second_subsets, second_runs, (hand - size) * stride
        for j in range(at, at + stride - 1):
            subset = uint64(own[j])
            if last[subset] != value:
                last[subset] = value
                num_runs[subset + uint64(1)] += 1
            row[j] = num_runs[subset + uint64(1)] - 1


@njit(cache=True, nogil=True)
def number_runs(subsets: I32, stride: int, first_run: I32, runs: I32) -> None:
    """Number the runs across all subsets: those of a subset begin at `first_run`."""
    for at in range(0, runs.shape[0], stride):
        if runs[at] >= 0:
            for j in range(at, at + stride - 1):
                runs[j] += first_run[subsets[j]]


@njit(cache=True, nogil=True)
def list_runs(runs: I32, stride: int, num_runs: int, most: int) -> tuple[I32, I32, I32]:
    """The hands of each run, in pieces of at most `most`: hands run by run, where each piece
    begins among them, and the first piece of each run. `runs` has those of each hand's subsets.
    """
    starts = np.zeros(num_runs + 1, np.int32)
    for at in range(0, runs.shape[0], stride):
        if runs[at] >= 0:
            for j in range(at, at + stride - 1):
                starts[runs[j] + 1] += 1
    num_pieces = 0
    first_piece = np.zeros(num_runs, np.int32)
    for run in range(num_runs):
        first_piece[run] = num_pieces
        num_pieces += (starts[run + 1] + most - 1) // most
        starts[run + 1] += starts[run]
    piece_start = np.zeros(num_pieces, np.int32)
    for run in range(num_runs):
        piece = first_piece[run]
        for at in range(starts[run], starts[run + 1], most):
            piece_start[piece] = at
            piece += 1
    hand_of = np.zeros(starts[num_runs], np.int32)
    for at in range(0, runs.shape[0], stride):
        if runs[at] >= 0:
            for j in range(at, at + stride - 1):
                hand_of[starts[runs[j]]] = at // stride
                starts[runs[j]] += 1
    return hand_of, piece_start, first_piece
