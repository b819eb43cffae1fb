"""The CFR family as frozen configs of one regret-minimiser; both kinds of tree take the same ones.

At iteration t an infoset has cumulative regrets R, the last instantaneous regrets r and a
weighted sum of its strategies S. With the current strategy σ_t:

1. plays       σ_t ∝ [d·R + prediction · r]⁺  (uniform where that is nowhere positive), where d
               is the discount that R is about to get: 1 without prediction or at alpha = ∞
2. regrets     R ← d⁺R where R > 0, d⁻R where R < 0, with d^± = (t−1)^e / ((t−1)^e + 1) and
               e = alpha for positive, beta for negative regrets; then R ← R + r, and with `plus`
               R ← max(R, 0). An infinite exponent means d = 1, minus infinity d = 0.
3. average     S ← S + t^gamma · (own reach) · σ_t

A member is one entry of CONFIGS; solvers.algorithms.register takes one from elsewhere. The
arithmetic of an iteration stands once, in solvers/rule_kernels.py.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

from riverboat.errors import ParameterError, UnknownNameError

__all__ = ["CONFIGS", "CFRConfig", "cfr_config"]


@dataclass(frozen=True)
class CFRConfig:
    """One member of the family: the numbers of the rule above, and where it comes from."""

    name: str
    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    plus: bool = False
    prediction: float = 0.0
    alternating: bool = True
    about: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta):
            raise ParameterError(f"{self.name}: alpha and beta must be numbers.")
        if not (math.isfinite(self.gamma) and self.gamma >= 0):
            raise ParameterError(f"{self.name}: gamma must be 0 or more, not {self.gamma}.")
        if not 0 <= self.prediction <= 1:
            raise ParameterError(
                f"{self.name}: prediction must lie between 0 and 1, not {self.prediction}."
            )


CONFIGS: dict[str, CFRConfig] = {
    config.name: config
    for config in (
        CFRConfig(
            "cfr",
            about="counterfactual regret minimisation",
            source="Zinkevich et al., NIPS 2007",
        ),
        CFRConfig(
            "cfr+",
            gamma=1.0,
            plus=True,
            about="regrets cut off at zero, linear averaging",
            source="Tammelin, arXiv:1407.5042",
        ),
        CFRConfig(
            "linear",
            alpha=1.0,
            beta=1.0,
            gamma=1.0,
            about="regrets and strategies weighted by t",
            source="Brown and Sandholm, AAAI 2019",
        ),
        CFRConfig(
            "dcfr",
            alpha=1.5,
            beta=0.0,
            gamma=2.0,
            about="discounted CFR",
            source="Brown and Sandholm, AAAI 2019",
        ),
        CFRConfig(
            "pcfr+",
            gamma=2.0,
            plus=True,
            prediction=1.0,
            about="CFR+ that expects the last regrets to come again",
            source="Farina, Kroer and Sandholm, AAAI 2021",
        ),
        CFRConfig(
            "pdcfr+",
            alpha=2.3,
            gamma=5.0,
            plus=True,
            prediction=1.0,
            about="pcfr+ with discounting",
            source="Xu et al., IJCAI 2024",
        ),
        CFRConfig(
            "sapcfr+",
            gamma=5.0,
            plus=True,
            prediction=1.0 / 3.0,
            about="pcfr+ with a third of the prediction",
            source='Meng et al., "Faster game solving via asymmetry of step sizes", AAAI 2026',
        ),
    )
}


def cfr_config(name: str, **changes: float | bool) -> CFRConfig:
    """A config by name, with fields replaced: `cfr_config("dcfr", gamma=3)`."""
    if name not in CONFIGS:
        raise UnknownNameError.among("algorithm", name, CONFIGS)
    return dataclasses.replace(CONFIGS[name], **changes)  # type: ignore[arg-type]
