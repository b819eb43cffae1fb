"""Algorithms by name, and the CFR family as frozen configs of one regret minimiser.

A text names an algorithm with its parameters: `dcfr`, `dcfr(1.5,0,2)` (alpha, beta, gamma),
`pcfr+(gamma=5)` (any number of CFRConfig by name), `cfr:simultaneous` (all players update at once
instead of in turn), `sampled-cfr+` (on a public tree: one deal per iteration), `lp`, `lp:refined`,
`lp:against=FILE`, `lp:against=random` (the opponent to win most from),
`auto`. Help, conformance tests and solve() read the one table. `register` adds a line to it: a
CFRConfig is a member of the family, an Algorithm anything else (CONTRIBUTING.md has an example of
each).

At iteration t of the family an infoset has cumulative regrets R, the last instantaneous regrets r
and a weighted sum of its strategies S. With the current strategy σ_t:

1. plays       σ_t ∝ [d·R + prediction · r]⁺  (uniform where that is nowhere positive), where d
               is the discount that R is about to get: 1 without prediction or at alpha = ∞
2. regrets     R ← d⁺R where R > 0, d⁻R where R < 0, with d^± = (t−1)^e / ((t−1)^e + 1) and
               e = alpha for positive, beta for negative regrets; then R ← R + r, and with `plus`
               R ← max(R, 0). An infinite exponent means d = 1, minus infinity d = 0.
3. average     S ← S + t^gamma · (own reach) · σ_t

Both kinds of tree take the same configs; the arithmetic is in one place, solvers/_cfr_kernels.py.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.runtime.plugins import find

LEARN, BEST, AVERAGE = 0, 1, 2
"""What a pass over a tree does: renew regrets, best-respond to the average, or value the average;
the same numbers in all kernels, those of spots and of GPUs too."""
AGAINST = "lp:against"
FAMILY_ALIASES = {"cfr+": ("cfrplus",), "linear": ("linear-cfr",)}  # What the literature writes out
AUTO = "auto"
SAMPLED_PREFIX = "sampled-"
SIMULTANEOUS = ":simultaneous"
NUMBERS = ("alpha", "beta", "gamma", "prediction")
POSITIONAL = {"dcfr": ("alpha", "beta", "gamma")}
_FORM = re.compile(
    r"\s*(sampled-)?([a-z+_-][a-z0-9+_-]*)\s*(?:\(([^()]*)\))?\s*(:[a-z]+)?\s*", re.IGNORECASE
)


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
            "cfr", about="counterfactual regret minimisation", source="Zinkevich et al., NIPS 2007"
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


@dataclass(frozen=True)
class Algorithm:
    """One line of the table."""

    name: str
    about: str
    source: str
    solver: str | Callable[..., Any]
    """The class that solves on a game tree, itself or as "module:class"; it is called with the
    SequenceForm, the algorithm's text and `seed=`."""
    sampled: bool = False  # Whether an iteration goes through a part of the game only
    aliases: tuple[str, ...] = ()
    config: CFRConfig | None = None  # The member of the CFR family; those also run on public trees
    exact: bool = False  # Whether it finds its answer at once, without iterating
    one_player: bool = False  # Whether it is for games of one player only

    def make(self, *arguments: Any, **options: Any) -> Any:
        """A solver."""
        if not isinstance(self.solver, str):
            return self.solver(*arguments, **options)
        return find(self.solver)(*arguments, **options)


OTHERS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "lp",
            "the exact equilibrium by linear programming",
            "Koller, Megiddo and von Stengel, STOC 1994",
            "riverboat.solvers._exact_solvers:LPSolver",
            exact=True,
        ),
        Algorithm(
            "lp:refined",
            "of all exact equilibria the one that wins most from an opponent who errs rarely",
            "Miltersen and Sørensen, Economic Theory 2010",
            "riverboat.solvers._exact_solvers:RefinedLPSolver",
            exact=True,
        ),
        Algorithm(
            AGAINST,
            "of all exact equilibria the one that wins most from FILE, or from random play",
            "as lp:refined, with a given opponent",
            "riverboat.solvers._exact_solvers:AgainstLPSolver",
            exact=True,
        ),
        Algorithm(
            "best-response",
            "for one player: backward induction, exact",
            "Zermelo 1913",
            "riverboat.solvers._exact_solvers:AloneSolver",
            exact=True,
            one_player=True,
        ),
        Algorithm(
            "cs-cfr",
            "chance-sampled CFR",
            "Zinkevich et al., NIPS 2007",
            "riverboat.solvers.sampling:SampledSolver",
            sampled=True,
            aliases=("chance-sampling", "chance-sampled"),
        ),
        Algorithm(
            "es-mccfr",
            "external sampling",
            "Lanctot et al., NIPS 2009",
            "riverboat.solvers.sampling:SampledSolver",
            sampled=True,
            aliases=("external-sampling",),
        ),
        Algorithm(
            "os-mccfr",
            "outcome sampling, exploration 0.6",
            "Lanctot et al., NIPS 2009",
            "riverboat.solvers.sampling:SampledSolver",
            sampled=True,
            aliases=("outcome-sampling",),
        ),
    )
}
"""All that are no members of the CFR family."""


def algorithms() -> dict[str, Algorithm]:
    """The whole table, the CFR family first."""
    family = {
        config.name: Algorithm(
            config.name,
            config.about,
            config.source,
            "riverboat.solvers.cfr:CFRSolver",
            aliases=FAMILY_ALIASES.get(config.name, ()),
            config=config,
        )
        for config in CONFIGS.values()
    }
    return {**family, **OTHERS}


def register(entry: Algorithm | CFRConfig) -> None:
    """Add an algorithm, or a member of the CFR family; a name can be taken only once."""
    if entry.name in algorithms() or entry.name == AUTO:
        raise UsageError(f"There is an algorithm {entry.name!r} already; take another name.")
    if not _FORM.fullmatch(entry.name) or entry.name.startswith(SAMPLED_PREFIX):
        raise UsageError(
            f"An algorithm's name has letters, digits, + and -, unlike {entry.name!r}."
        )
    if isinstance(entry, CFRConfig):
        CONFIGS[entry.name] = entry
    else:
        OTHERS[entry.name] = entry


@dataclass(frozen=True)
class AlgorithmSpec:
    """An algorithm's text taken apart; `family` is set for the CFR family."""

    name: str
    text: str
    family: CFRConfig | None = None
    sampled: bool = False  # Whether hands are sampled on a public tree

    @property
    def config(self) -> CFRConfig:
        if self.family is None:
            raise UnknownNameError.among("member of the CFR family", self.name, CONFIGS)
        return self.family


def parse_algorithm(
    text: str, *, alternating: bool | None = None, public: bool = False
) -> AlgorithmSpec:
    """The algorithm that a text names for either kind of tree; `alternating` overrules it."""
    table = algorithms()
    known = [AUTO, *table]
    if public:
        known = [AUTO, "cs-cfr", *CONFIGS, *(SAMPLED_PREFIX + member for member in CONFIGS)]
    name, equals, opponent = text.strip().partition("=")
    if not public and equals and name.strip().lower() == AGAINST:
        if not opponent:
            raise ParameterError(f"{AGAINST} names an opponent: {AGAINST}=random, {AGAINST}=FILE.")
        return AlgorithmSpec(AGAINST, f"{AGAINST}={opponent}")
    match = _FORM.fullmatch(text)
    name = match[2].lower().replace("_", "-") if match else text
    aliases = {alias: line.name for line in table.values() for alias in line.aliases}
    name, ending = aliases.get(name, name), (match[4] or "").lower() if match else ""
    if ending not in ("", SIMULTANEOUS):
        name += ending
    if match is None or (name != AUTO and name not in table):
        raise UnknownNameError.among("algorithm", text, known)
    sampled = match[1] is not None
    if public and name == "cs-cfr" and not sampled:
        name, sampled = "cfr", True
    if public and name not in (AUTO, *CONFIGS):
        raise UsageError(
            f"On a public tree {name} is not to be had; choose one of"
            f" {', '.join(CONFIGS)}, with {SAMPLED_PREFIX} before it to sample the hands."
        )
    if sampled and not public:
        raise UsageError(
            f"{text.strip()} samples the hands of a public tree; on a game tree take cs-cfr."
        )
    arguments, simultaneous = match[3], ending == SIMULTANEOUS
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
    return AlgorithmSpec(name, SAMPLED_PREFIX * sampled + config_text(config), config, sampled)


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
    return dataclasses.replace(config, **cast("dict[str, Any]", values))
