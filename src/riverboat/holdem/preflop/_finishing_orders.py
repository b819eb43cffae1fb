"""The orders in which all-in hands may finish, and the sets of seats that may be all-in."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product


@lru_cache(maxsize=8)
def weak_orders(num_hands: int) -> tuple[tuple[int, ...], ...]:
    """Every order of hands that may tie: for each hand the number of better ones."""
    return tuple(
        order
        for order in product(range(num_hands), repeat=num_hands)
        if all(sum(other < rank for other in order) == rank for rank in order)
    )


def subsets(num_seats: int) -> list[tuple[int, ...]]:
    """The sets of seats, by size."""
    return [
        seats for size in range(num_seats + 1) for seats in combinations(range(num_seats), size)
    ]
