"""Bet sizes of an abstract game: a small grammar, and where a real bet belongs among them.

A size is written as

| text | raise to |
|---|---|
| `0.5p` | the bet to call plus half of the pot after calling |
| `2.5x` | 2.5 times the bet to call; where nobody has bet, 2.5 times the least bet |
| `m` | the least raise the rules allow (in fixed-limit the only one) |
| `a` | all-in |

Several sizes are separated by commas; one text holds for a whole street, a list of texts for the
street's first bet, first raise and so on, the last one for all that follow. `cap` is the most bets
and raises of a street. A size the rules do not allow is moved to the nearest one they do; equal
sizes are one.

    >>> BetSizes.parse({"preflop": ["2.5x", "3x", "a"], "flop": "0.5p,1p,a"}, 2).streets[1]
    (('0.5p', '1p', 'a'),)

Real bets are mapped by the pseudo-harmonic rule of Ganzfried and Sandholm, "Action translation in
extensive-form games with large action spaces" (IJCAI 2013).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Betting

__all__ = ["STREETS", "BetSizes", "between", "parse_sizes", "pot_share", "pseudo_harmonic"]

STREETS = ("preflop", "flop", "turn", "river")
MAX_SIZE = 1e6
"""Pots or bets that one bet may be; anything near it is all-in."""
_SIZE = re.compile(r"(?:(\d+(?:\.\d+)?|\.\d+)([px])|([am]))", re.ASCII)


@dataclass(frozen=True)
class BetSizes:
    """By street and by number of bets before: the sizes, as texts in rising order of writing."""

    streets: tuple[tuple[tuple[str, ...], ...], ...]
    caps: tuple[int, ...]
    """Most bets and raises, by street."""

    @classmethod
    def parse(cls, table: Mapping[str, Any], num_streets: int, cap: Any = 4) -> BetSizes:
        """Sizes from `{"preflop": …, "flop": …}`; a street left out has those before it.

        `cap` is one number or one for each street.
        """
        names = STREETS[:num_streets]
        unknown = [name for name in table if name not in names]
        if unknown:
            raise ParameterError(
                f"Bet sizes are given for {', '.join(names)}; {unknown[0]!r} is not one of them."
            )
        caps: tuple[int, ...] = (cap,) * num_streets
        if isinstance(cap, list | tuple):
            caps = tuple(cap)
        if len(caps) != num_streets or not all(type(c) is int and c >= 0 for c in caps):
            raise ParameterError(
                f"The cap on bets is a whole number or {num_streets} of them, not {cap!r}."
            )
        if not any(caps):
            raise ParameterError("With a cap of 0 nobody may bet; allow 1 or more on a street.")
        streets: list[tuple[tuple[str, ...], ...]] = []
        for name in names:
            if name in table:
                given = table[name]
                levels = given if isinstance(given, list | tuple) else [given]
                if not levels:
                    raise ParameterError(f"The bet sizes of the {name} are empty; write 1p, say.")
                streets.append(tuple(parse_sizes(level, f"the {name}") for level in levels))
            elif not streets:
                raise ParameterError(f"There are no bet sizes for the {name}; write 1p, say.")
            else:
                streets.append(streets[-1])
        return cls(tuple(streets), caps)

    def sizes(self, betting: Betting) -> tuple[str, ...]:
        """The sizes that are written for this point of the betting, legal or not."""
        if betting.raises >= self.caps[betting.street]:
            return ()
        levels = self.streets[betting.street]
        return levels[min(betting.raises, len(levels) - 1)]

    def raises(self, betting: Betting) -> dict[int, str]:
        """Amount to raise to → the size's text, lowest amount first; empty where none is legal."""
        allowed = betting.raise_range()
        if allowed is None:
            return {}
        found = {amount_of(size, betting, allowed): size for size in self.sizes(betting)}
        return dict(sorted(found.items()))

    def as_table(self) -> dict[str, Any]:
        """What `parse` reads."""
        return {
            name: [",".join(level) for level in levels]
            for name, levels in zip(STREETS, self.streets, strict=False)
        }


def parse_sizes(text: Any, place: str) -> tuple[str, ...]:
    """Sizes with commas between, refused with a word on their place where one is none."""
    sizes = [part.strip() for part in str(text).split(",") if part.strip()]
    for size in sizes:
        match = _SIZE.fullmatch(size)
        if match is None or (match[1] and not 0 < float(match[1]) <= MAX_SIZE):
            raise ParameterError(
                f"The bet size {size!r} of {place} is not one; write 0.5p, 2.5x, m or a."
            )
    if not sizes:
        raise ParameterError(f"The bet sizes of {place} are empty; write 1p, say.")
    return tuple(sizes)


def amount_of(size: str, betting: Betting, allowed: tuple[int, int]) -> int:
    """The chips a size means here, moved into what is allowed."""
    least, most = allowed
    if size == "a":
        return most
    if size == "m":
        return least
    top, number = max(betting.bets), float(size[:-1])
    if size.endswith("p"):
        wanted = top + number * (betting.pot + betting.to_call)
    else:
        wanted = number * (top or betting.rules.bet_sizes[betting.street])
    return min(max(int(wanted + 0.5), least), most)


def pot_share(betting: Betting, amount: int) -> float:
    """A raise to `amount` as a share of the pot after calling; 0 is a call."""
    pot = betting.pot + betting.to_call
    return (amount - max(betting.bets)) / pot if pot else float(amount)


def pseudo_harmonic(low: float, high: float, share: float) -> float:
    """The probability with which a bet between two abstract ones counts as the lower."""
    if share <= low:
        return 1.0
    if share >= high:
        return 0.0
    return (high - share) * (1 + low) / ((high - low) * (1 + share))


def between(shares: Sequence[float], share: float) -> tuple[int, int, float]:
    """The two of the rising abstract `shares` a real one lies between, and the lower's chance."""
    last = len(shares) - 1
    high = next((i for i, bound in enumerate(shares) if share <= bound), last)
    low = max(high - 1, 0)
    return low, high, pseudo_harmonic(shares[low], shares[high], share) if low < high else 1.0
