"""Algorithms by name, with their parameters in the text.

`dcfr`, `dcfr(1.5,0,2)` (alpha, beta, gamma), `pcfr+(gamma=5)` (any number of CFRConfig by name),
`cfr:simultaneous` (all players update at once instead of in turn), `es-mccfr`, `lp`, `auto`.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.solvers.config import CONFIGS, CFRConfig, cfr_config

__all__ = ["SAMPLED", "AlgorithmSpec", "config_text", "parse_algorithm"]

SAMPLED = ("cs-cfr", "es-mccfr", "os-mccfr")
"""Chance-sampled CFR, external-sampling and outcome-sampling MCCFR."""
ALIASES = {
    "cfrplus": "cfr+",
    "linear-cfr": "linear",
    "chance-sampling": "cs-cfr",
    "chance-sampled": "cs-cfr",
    "external-sampling": "es-mccfr",
    "outcome-sampling": "os-mccfr",
}
"""What the literature writes out."""

SIMULTANEOUS = ":simultaneous"
NUMBERS = ("alpha", "beta", "gamma", "prediction")
POSITIONAL = {"dcfr": ("alpha", "beta", "gamma")}
_FORM = re.compile(r"\s*([a-z+_-]+)\s*(?:\(([^()]*)\))?\s*(:simultaneous)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class AlgorithmSpec:
    """An algorithm's text taken apart; `config` is set for the CFR family."""

    name: str
    text: str
    family: CFRConfig | None = None

    @property
    def config(self) -> CFRConfig:
        if self.family is None:
            raise UnknownNameError.among("member of the CFR family", self.name, CONFIGS)
        return self.family


def parse_algorithm(text: str, *, alternating: bool | None = None) -> AlgorithmSpec:
    """The algorithm that a text names; `alternating` overrules the text."""
    found = _FORM.fullmatch(text)
    name = found[1].lower().replace("_", "-") if found else text
    name = ALIASES.get(name, name)
    if found is None or name not in ("auto", "lp", *CONFIGS, *SAMPLED):
        raise UnknownNameError.among("algorithm", text, ("auto", "lp", *CONFIGS, *SAMPLED))
    arguments, simultaneous = found[2], found[3] is not None
    if name not in CONFIGS:
        if arguments is not None:
            raise ParameterError(f"{name} takes no parameters; write just {name}.")
        if simultaneous or alternating is not None:
            raise ParameterError(f"{name} has no choice of updates; name dcfr or the like.")
        return AlgorithmSpec(name, name)
    config = cfr_config(name)
    if arguments is not None:
        config = _with_arguments(config, arguments)
    if simultaneous or alternating is not None:
        together = simultaneous if alternating is None else not alternating
        config = dataclasses.replace(config, alternating=not together)
    return AlgorithmSpec(name, config_text(config), config)


def config_text(config: CFRConfig) -> str:
    """A config as the text that parse_algorithm reads back."""
    usual = cfr_config(config.name)
    changed = [name for name in NUMBERS if getattr(config, name) != getattr(usual, name)]
    order = POSITIONAL.get(config.name, ())
    if changed and set(changed) <= set(order):
        parts = [_number(getattr(config, name)) for name in order]
    else:
        parts = [f"{name}={_number(getattr(config, name))}" for name in changed]
    arguments = f"({','.join(parts)})" if parts and changed else ""
    return config.name + arguments + ("" if config.alternating else SIMULTANEOUS)


def _number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _with_arguments(config: CFRConfig, text: str) -> CFRConfig:
    """`1.5,0,2` or `gamma=3,alpha=2` as the config's parameters."""
    order = POSITIONAL.get(config.name, ())
    parts = [part.strip() for part in text.split(",")]
    try:
        if any("=" in part for part in parts):
            pairs = [part.split("=") for part in parts]
            values = {name.strip(): float(value) for name, value in pairs}
            if len(values) != len(parts) or not set(values) <= set(NUMBERS):
                raise ValueError(text)
        else:
            numbers = [float(part) for part in parts]
            values = dict(zip(order, numbers, strict=True))
    except ValueError:
        example = "dcfr(1.5,0,2)" if order else f"{config.name}(gamma=3)"
        raise ParameterError(
            f"{config.name} takes {', '.join(order or NUMBERS)} as in {example}, not ({text})."
        ) from None
    return dataclasses.replace(config, **values)  # type: ignore[arg-type]
