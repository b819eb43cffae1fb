"""Random numbers of compiled code against the published sequence."""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.runtime.compiled import GOLDEN, mix, unit


@njit
def words(seed, num):  # type: ignore[no-untyped-def]
    state, found = np.uint64(seed), np.empty(num, np.uint64)
    for i in range(num):
        state += GOLDEN
        found[i] = mix(state)
    return found


def test_splitmix64_gives_the_published_words() -> None:
    # Seed 1234567 in Rosetta Code, "Pseudo-random numbers/Splitmix64".
    assert words(1234567, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_word_is_a_number_below_one() -> None:
    assert unit(np.uint64(0)) == 0.0
    assert unit(np.uint64(2**64 - 1)) == 1.0 - 2.0**-53
    assert unit(np.uint64(2**63)) == 0.5
