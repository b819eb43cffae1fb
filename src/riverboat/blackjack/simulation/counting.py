"""Card counting as data: linear systems, bet ramps and the hands that are played by the count.

A deviation is written `16vT:S@0`: with 16 against a ten stand at a count of 0 or more, otherwise
hit. `10vT:D@4` doubles, `TTv5:P@5` splits, `15vT:R@0` surrenders at that count or more and does
not below it; `I@3` insures. Hands are hard totals (`16`), soft hands (`A7`) or pairs (`TT`).
A deviation on a total covers the pair of that total where the chart plays both alike.

A ramp is written `1 2@1 4@2 8@3`: one unit, two at a count of 1 or more, and so on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from riverboat.blackjack.charts import UPS
from riverboat.errors import ParameterError, UnknownNameError

DEVIATIONS: dict[str, str] = {
    # Schlesinger, Blackjack Attack: Hi-Lo true counts, several decks, S17.
    "illustrious18": (
        "I@3 16vT:S@0 15vT:S@4 TTv5:P@5 TTv6:P@4 10vT:D@4 12v3:S@2 12v2:S@3 11vA:D@1"
        " 9v2:D@1 10vA:D@4 9v7:D@3 16v9:S@5 13v2:S@-1 12v4:S@0 12v5:S@-2 12v6:S@-1 13v3:S@-2"
    ),
    # The same: the four surrenders that matter most.
    "fab4": "14vT:R@3 15vT:R@0 15v9:R@2 15vA:R@1",
    "none": "",
}
"""Sets of deviations by name."""
_DEVIATION = re.compile(
    r"(?P<hand>[4-9]|1[0-9]|2[01]|AA|22|33|44|55|66|77|88|99|TT|A[2-9])v(?P<up>[A2-9T])"
    r":(?P<action>[SHDPR])@(?P<index>-?\d+(\.\d+)?)"
)
_INSURANCE = re.compile(r"I@(?P<index>-?\d+(\.\d+)?)")


@dataclass(frozen=True)
class CountingSystem:
    """What each card adds to the count, ace first, ten last."""

    name: str
    tags: tuple[float, ...]
    source: str
    true_count: bool = True  # Divide the running count by the decks left to come
    start: tuple[float, float] = (0.0, 0.0)
    """The running count of a fresh shoe: a constant, and an addend a deck."""

    def __post_init__(self) -> None:
        if len(self.tags) != len(UPS) or any(2 * tag != int(2 * tag) for tag in self.tags):
            raise ParameterError("A counting system needs ten tags (A, 2 … 9, T), whole or halves.")

    def initial(self, decks: int) -> float:
        return self.start[0] + self.start[1] * decks


SYSTEMS: dict[str, CountingSystem] = {
    "hilo": CountingSystem(
        "hilo", (-1, 1, 1, 1, 1, 1, 0, 0, 0, -1), "Dubner 1963; Wong, Professional Blackjack"
    ),
    "ko": CountingSystem(
        "ko",
        (-1, 1, 1, 1, 1, 1, 1, 0, 0, -1),
        "Vancura and Fuchs, Knock-Out Blackjack",
        true_count=False,
        start=(4, -4),
    ),
    "hiopt1": CountingSystem(
        "hiopt1", (0, 0, 1, 1, 1, 1, 0, 0, 0, -1), "Einstein 1968; Humble and Cooper"
    ),
    "hiopt2": CountingSystem(
        "hiopt2", (0, 1, 1, 2, 2, 1, 1, 0, 0, -2), "Humble and Cooper, The World's Greatest Book"
    ),
    "omega2": CountingSystem(
        "omega2", (0, 1, 1, 2, 2, 2, 1, 0, -1, -2), "Carlson, Blackjack for Blood"
    ),
    "zen": CountingSystem(
        "zen", (-1, 1, 1, 2, 2, 2, 1, 0, 0, -2), "Snyder, Blackbelt in Blackjack"
    ),
    "halves": CountingSystem(
        "halves", (-1, 0.5, 1, 1, 1.5, 1, 0.5, 0, -0.5, -1), "Wong, Professional Blackjack"
    ),
}


@dataclass(frozen=True)
class Deviation:
    """Do `action` at a count of `index` or more, and its opposite below."""

    hand: str  # A hard total, a soft hand, a pair; nothing for insurance
    up: str
    action: str
    index: float

    @classmethod
    def parse(cls, text: str) -> Deviation:
        if match := _INSURANCE.fullmatch(text):
            return cls("", "A", "I", float(match["index"]))
        if match := _DEVIATION.fullmatch(text):
            action, hand = match["action"], match["hand"]
            if action != "P" or (hand[0] == hand[-1] and hand != "11"):
                return cls(hand, match["up"], action, float(match["index"]))
        raise ParameterError(
            f"A deviation is written like 16vT:S@0, A7v2:D@1, TTv5:P@5 or I@3, not {text!r}."
        )

    def __str__(self) -> str:
        where = f"{self.hand}v{self.up}:" if self.hand else ""
        return f"{where}{self.action}@{self.index:g}"

    @property
    def row(self) -> tuple[str, int]:
        """Which rows of a chart it is about: "hard", "soft" or "pair", and total or card."""
        first, last = self.hand[0], self.hand[-1]
        if len(self.hand) == 2 and first == last and self.hand != "11":
            return "pair", UPS.index(first)
        if first == "A":
            return "soft", 11 + int(last)
        return "hard", int(self.hand)


@dataclass(frozen=True)
class Ramp:
    """The bet by the count: `base`, then from each count on another bet."""

    base: float = 1.0
    steps: tuple[tuple[float, float], ...] = ()  # (count, bet), counts ascending

    def __post_init__(self) -> None:
        counts = [count for count, _ in self.steps]
        if counts != sorted(set(counts)):
            raise ParameterError("A ramp's counts must go up, as in '1 2@1 4@2 8@3'.")
        bets = [self.base, *(bet for _, bet in self.steps)]
        if not all(map(math.isfinite, (*counts, *bets))):
            raise ParameterError("A ramp's counts and bets are finite numbers.")
        if min(bets) < 0 or max(bets) <= 0:
            raise ParameterError("A ramp's bets must not be negative, and one must be above zero.")

    @classmethod
    def parse(cls, text: str) -> Ramp:
        try:
            base, *steps = text.split()
            pairs = [step.split("@") for step in steps]
            return cls(float(base), tuple((float(count), float(bet)) for bet, count in pairs))
        except ValueError:
            raise ParameterError(
                f"A ramp is written like '1 2@1 4@2 8@3' (bet@count), not {text!r}."
            ) from None

    def __str__(self) -> str:
        return " ".join([f"{self.base:g}", *(f"{bet:g}@{count:g}" for count, bet in self.steps)])

    def bet(self, count: float) -> float:
        """The bet at a count."""
        reached = [bet for index, bet in self.steps if count >= index]
        return reached[-1] if reached else self.base


@dataclass(frozen=True)
class Counter:
    """A player who counts: what, and what for."""

    system: CountingSystem
    ramp: Ramp = Ramp()
    deviations: tuple[Deviation, ...] = ()
    resolution: int = 26  # The decks left are judged to this many cards; 1 is exact

    def __post_init__(self) -> None:
        if not 1 <= self.resolution <= 52:
            raise ParameterError(f"resolution must be 1 to 52 cards, not {self.resolution}.")
        about = [
            (item.hand, item.up, item.action in "SH" or item.action) for item in self.deviations
        ]
        if len(set(about)) < len(about):
            raise ParameterError("A hand has two deviations for the same decision; leave one out.")


def counter_from(
    system: str, ramp: str | None = None, deviations: str | None = None, resolution: int = 26
) -> Counter:
    """A counter from texts: a system's name, a ramp, names of sets or deviations with blanks.

    Left out, Hi-Lo gets a 1–8 ramp, the Illustrious 18 and the Fab 4; other systems bet flat and
    keep to the chart, since ramps and indices belong to a system.
    """
    if system not in SYSTEMS:
        raise UnknownNameError.among("counting system", system, SYSTEMS)
    hilo = system == "hilo"
    ramp = ramp if ramp is not None else ("1 2@1 4@2 6@3 8@4" if hilo else "1")
    names = deviations if deviations is not None else ("illustrious18 fab4" if hilo else "none")
    return Counter(SYSTEMS[system], Ramp.parse(ramp), tuple(_deviations(names.split())), resolution)


def _deviations(names: Iterable[str]) -> Iterable[Deviation]:
    for name in names:
        if name in DEVIATIONS:
            yield from map(Deviation.parse, DEVIATIONS[name].split())
        elif name.isalnum():
            raise UnknownNameError.among("set of deviations", name, DEVIATIONS)
        else:
            yield Deviation.parse(name)
