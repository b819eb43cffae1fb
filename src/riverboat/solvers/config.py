"""The CFR family as frozen configs of one regret-minimiser; both kinds of tree take the same ones.

At iteration t an infoset has cumulative regrets R, the last instantaneous regrets r and a
weighted sum of its strategies S. With the current strategy σ_t:

1. plays       σ_t ∝ [d·R + prediction · r]⁺  (uniform where that is nowhere positive), where d
               is the discount that R is about to get: 1 without prediction or at alpha = ∞
2. regrets     R ← d⁺R where R > 0, d⁻R where R < 0, with d^± = (t−1)^e / ((t−1)^e + 1) and
               e = alpha for positive, beta for negative regrets; then R ← R + r, and with `plus`
               R ← max(R, 0). An infinite exponent means d = 1, minus infinity d = 0.
3. average     S ← S + t^gamma · (own reach) · σ_t

| name | alpha | beta | gamma | plus | prediction | source |
|---|---|---|---|---|---|---|
| cfr | ∞ | ∞ | 0 | no | 0 | Zinkevich et al., NIPS 2007 |
| cfr+ | ∞ | ∞ | 1 | yes | 0 | Tammelin, arXiv:1407.5042 |
| linear | 1 | 1 | 1 | no | 0 | Brown & Sandholm, AAAI 2019 |
| dcfr | 1.5 | 0 | 2 | no | 0 | Brown & Sandholm, AAAI 2019 |
| pcfr+ | ∞ | ∞ | 2 | yes | 1 | Farina, Kroer & Sandholm, AAAI 2021 |
| pdcfr+ | 2.3 | ∞ | 5 | yes | 1 | Xu et al., IJCAI 2024 |
| sapcfr+ | ∞ | ∞ | 5 | yes | 1/3 | Meng et al. ("asymmetry of step sizes"), AAAI 2026 |
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from riverboat.errors import ParameterError, UnknownNameError

__all__ = ["CONFIGS", "CFRConfig", "cfr_config"]


@dataclass(frozen=True)
class CFRConfig:
    """One member of the family; see the table above."""

    name: str
    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    plus: bool = False
    prediction: float = 0.0
    alternating: bool = True

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
        CFRConfig("cfr"),
        CFRConfig("cfr+", gamma=1.0, plus=True),
        CFRConfig("linear", alpha=1.0, beta=1.0, gamma=1.0),
        CFRConfig("dcfr", alpha=1.5, beta=0.0, gamma=2.0),
        CFRConfig("pcfr+", gamma=2.0, plus=True, prediction=1.0),
        CFRConfig("pdcfr+", alpha=2.3, gamma=5.0, plus=True, prediction=1.0),
        CFRConfig("sapcfr+", gamma=5.0, plus=True, prediction=1.0 / 3.0),
    )
}


def cfr_config(name: str, **changes: float | bool) -> CFRConfig:
    """A config by name, with fields replaced: `cfr_config("dcfr", gamma=3)`."""
    if name not in CONFIGS:
        raise UnknownNameError.among("algorithm", name, CONFIGS)
    return dataclasses.replace(CONFIGS[name], **changes)  # type: ignore[arg-type]
