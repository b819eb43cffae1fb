"""The strength of a blueprint, told figure by figure while it is measured.

    for a screen: measure_running(blueprint, tell), where `tell` may raise to stop

Each figure is one `StrengthStep` that is told again and again as its interval shrinks. What was
told stays true when the measurement is stopped. `measure` gives the same figures in one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from riverboat.errors import TooLargeError
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.deals import has_full_boards
from riverboat.holdem.sparring import STYLES
from riverboat.holdem.strength.abstract_play import Estimate
from riverboat.holdem.strength.duplicate_match import duplicate_match
from riverboat.holdem.strength.exact_strength import evaluate_blueprint
from riverboat.holdem.strength.lbr import LbrResult, can_be_exploited, local_best_response

__all__ = ["StrengthStep", "measure_running"]

PARTNERS = ("rules", "call", "random")
EXACT = "a best response wins, exact"
LBR = "a local best response wins"


@dataclass(frozen=True)
class StrengthStep:
    """One figure, finished or on its way."""

    name: str
    done: int
    total: int
    unit: str
    """What `done` and `total` count."""
    estimate: Estimate | None = None
    """In thousandths of a big blind per game; None before there is one."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure_running(
    blueprint: Blueprint,
    tell: Callable[[StrengthStep], None],
    *,
    boards: int = 100,
    deals: int = 500,
    seed: int = 0,
    threads: int = 1,
) -> None:
    """Exact where the game is small, else local best response; then matches on duplicate deals."""
    if not _exact(blueprint, tell) and can_be_exploited(blueprint):
        tell(StrengthStep(LBR, 0, boards, "boards"))

        def heard(found: LbrResult) -> None:
            tell(StrengthStep(LBR, len(found.boards), boards, "boards", found.estimate))

        local_best_response(blueprint, boards, seed=seed, threads=threads, partial=heard)
    for name in PARTNERS:
        title = f"against {name}"
        tell(StrengthStep(title, 0, deals, "deals"))
        match = duplicate_match(
            blueprint,
            STYLES[name],
            deals,
            seed=seed,
            progress=lambda done, title=title: tell(StrengthStep(title, done, deals, "deals")),  # type: ignore[misc]
        )
        tell(StrengthStep(title, deals, deals, "deals", match.reduced))


def _exact(blueprint: Blueprint, tell: Callable[[StrengthStep], None]) -> bool:
    """The exact figure of a game so small that it can be walked; whether it is."""
    game = blueprint.rules
    if game.players != 2 or has_full_boards(game):
        return False
    try:
        found = evaluate_blueprint(blueprint)
    except TooLargeError:
        return False
    unit = float(game.big_blind or game.ante or 1)
    wins = Estimate(1000 * found.exploitability / unit, 0.0, 1)
    tell(StrengthStep(EXACT, 1, 1, "games", wins))
    return True
