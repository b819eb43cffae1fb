"""The abstract game that is trained, as a config says it, and the checks before anything is built.

A config is TOML with four parts: `[game]`, parameters of rules/state.py; `[bets]`, sizes by street
as in betting_tree.py, with `cap`, `history` and `field`; `[cards]`, a `scheme` (percentile or
lossless of deals.py, or one of card_tables.py with its parameters) or a `file`; `[training]`, the
fields of Training. The shipped ones are in riverboat/configs.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from riverboat.errors import ParameterError, TooLargeError, UnknownNameError
from riverboat.games.base import parameters_of
from riverboat.games.registry import make_game
from riverboat.holdem.abstraction.card_tables import SCHEMES as TABLE_SCHEMES
from riverboat.holdem.abstraction.card_tables import Recipe, card_abstraction
from riverboat.holdem.abstraction.deals import CardBuckets, Lossless, Percentile, is_whole_deck
from riverboat.holdem.blueprints.betting_tree import (
    BetSizes,
    BettingTree,
    Field,
    build_betting_tree,
)
from riverboat.holdem.rules.betting import STREET_NAMES
from riverboat.holdem.rules.state import Holdem
from riverboat.runtime.devices import machine_memory
from riverboat.runtime.storage import parse_toml, read_text

MAX_CONFIG_BYTES = 1_000_000
PARTS = ("game", "bets", "cards", "training")
WEIGHTINGS = ("linear", "even")
MAX_CHIPS = 2**24  # Up to here a float32 holds every whole number
SCHEMES = ("percentile", "lossless", *TABLE_SCHEMES)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(f"{name} takes a whole number, not {value!r}.")
    return value


@dataclass(frozen=True)
class Training:
    """How to train. Amounts are in big blinds, lengths in deals."""

    weighting: str = "linear"
    """"linear": after each period k all numbers are multiplied by k / (k + 1); or "even"."""
    period: int = 262_144
    prune_below: float = 3_000.0
    """An action whose regret is lower by that many big blinds is mostly left out …"""
    prune_share: float = 0.95  # … in this share of the walks
    prune_after: int = 2_000_000

    def __post_init__(self) -> None:
        if self.weighting not in WEIGHTINGS:
            raise ParameterError(f"weighting is {' or '.join(WEIGHTINGS)}, not {self.weighting!r}.")
        for name in ("period", "prune_after"):
            if _whole(name, getattr(self, name)) < (name == "period"):
                raise ParameterError(f"{name} is a number of deals, not {getattr(self, name)}.")
        for name, value in (("prune_below", self.prune_below), ("prune_share", self.prune_share)):
            if type(value) not in (int, float) or not 0 <= value < math.inf:
                raise ParameterError(f"{name} takes a number, not {value!r}.")
        if self.prune_below == 0 or self.prune_share >= 1:
            raise ParameterError("prune_below must be above 0 and prune_share below 1.")


@dataclass(frozen=True)
class HoldemConfig:
    """A game, its bet sizes, its card abstraction and how it is trained."""

    game: Holdem
    sizes: BetSizes
    history: str = "full"
    field: Field = 10
    cards: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"scheme": "percentile"})
    training: Training = Training()

    def __post_init__(self) -> None:
        rules = self.game.betting_rules
        if sum(rules.stacks) > MAX_CHIPS:
            raise ParameterError(
                f"There are {sum(rules.stacks):,} chips in play, more than the {MAX_CHIPS:,} that"
                " are counted exactly; use smaller units."
            )
        for player, stack in enumerate(rules.stacks):
            need = rules.antes[player] + self.game.big_blind
            if stack < need:
                raise ParameterError(
                    f"Player {player + 1} has {stack} chips, fewer than the {need} of blind and"
                    " ante; raise stacks."
                )

    @classmethod
    def from_table(cls, table: Mapping[str, Any], source: str = "This config") -> HoldemConfig:
        """A config from nested tables as TOML has them."""
        if not isinstance(table, Mapping):
            raise ParameterError(f"{source} is a table with parts, not {table!r}.")
        for name, part in table.items():
            if name not in PARTS:
                raise ParameterError(
                    f"{source} has a part {name!r}; the parts are {', '.join(PARTS)}."
                )
            if not isinstance(part, Mapping):
                raise ParameterError(f"{source}: {name} is a part; write [{name}] and lines below.")
        parts = {name: dict(table.get(name, {})) for name in PARTS}
        game = cast(Holdem, make_game("holdem", parts["game"]))
        bets = parts["bets"]
        extra = {name: bets.pop(name) for name in ("history", "field") if name in bets}
        cap = bets.pop("cap", 4)
        if not bets:
            raise ParameterError(f'{source} has no bet sizes; write [bets] with flop = "1p", say.')
        sizes = BetSizes.parse(bets, game.num_streets, cap)
        if isinstance(extra.get("field"), list | tuple):
            extra["field"] = tuple(_whole("field", number) for number in extra["field"])
        elif "field" in extra:
            _whole("field", extra["field"])
        known = [item.name for item in dataclasses.fields(Training)]
        wrong = [name for name in parts["training"] if name not in known]
        if wrong:
            raise ParameterError(
                f"{source} has no training setting {wrong[0]!r} (settings: {', '.join(known)})."
            )
        cards = parts["cards"] or {"scheme": "percentile"}
        return cls(game, sizes, **extra, cards=cards, training=Training(**parts["training"]))

    def as_table(self) -> dict[str, Any]:
        """What `from_table` reads."""
        return {
            "game": parameters_of(self.game),
            "bets": {
                **self.sizes.as_table(),
                "cap": list(self.sizes.caps),
                "history": self.history,
                "field": list(self.field) if isinstance(self.field, tuple) else self.field,
            },
            "cards": dict(self.cards),
            "training": dataclasses.asdict(self.training),
        }


def shipped_configs() -> dict[str, str]:
    """The configs that come with the package: name → text."""
    folder = resources.files("riverboat.holdem") / "configs"
    return {
        item.name.removesuffix(".toml"): item.read_text()
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".toml")
    }


def read_config(source: str | Path) -> HoldemConfig:
    """A shipped config by name, or a TOML file."""
    path = Path(source)
    shipped = shipped_configs()
    if path.suffix != ".toml" and str(source) in shipped:
        text = shipped[str(source)]
    elif path.suffix != ".toml" and not path.exists():
        raise UnknownNameError.among("config", str(source), shipped)
    else:
        text = read_text(path, MAX_CONFIG_BYTES)
    return HoldemConfig.from_table(parse_toml(text, str(source)), str(source))


@dataclass(frozen=True, repr=False)
class AbstractGame:
    """The betting tree and the card abstraction of a config."""

    config: HoldemConfig
    tree: BettingTree
    buckets: CardBuckets

    def __repr__(self) -> str:
        buckets = "/".join(map(str, self.buckets.num_buckets))
        return f"<AbstractGame {self.tree!r}, buckets {buckets}, {self.num_infosets:,} infosets>"

    @classmethod
    def build(
        cls,
        config: HoldemConfig,
        *,
        memory_limit: int | None = None,
        threads: int = 1,
        progress: Callable[[str, float], None] | None = None,
    ) -> AbstractGame:
        """The game of a config; card tables that are not in the cache are built, with `threads`.

        What would need more bytes than `memory_limit` is refused. `progress` gets a street and
        the share of it done.
        """
        return GamePlan.of(config, memory_limit).build(threads=threads, progress=progress)

    @property
    def num_infosets(self) -> int:
        return self.tree.num_infosets(self.buckets.num_buckets)

    @property
    def num_bytes(self) -> int:
        """Memory of regrets and averages."""
        return self.tree.num_bytes(self.buckets.num_buckets)


@dataclass(frozen=True)
class GamePlan:
    """An abstract game before its card tables are there: its size is known, nothing is built."""

    config: HoldemConfig
    tree: BettingTree
    num_buckets: tuple[int, ...] | None  # None where only the tables have it
    memory_limit: int | None = None
    machine: int = sys.maxsize  # Bytes of memory that this machine has

    @classmethod
    def of(
        cls, config: HoldemConfig, memory_limit: int | None = None, machine: int | None = None
    ) -> GamePlan:
        """Check a config, and refuse it where more than `memory_limit` bytes would be needed.

        `machine` is the memory of the machine that it is for; default: this one's.
        """
        if machine is None:
            machine = machine_memory() or sys.maxsize
        known = _num_buckets(config)
        tree = build_betting_tree(
            config.game, config.sizes, history=config.history, field=config.field
        )
        if known is not None:
            _check_memory(tree, known, memory_limit, machine)
        return cls(config, tree, known, memory_limit, machine)

    def build(
        self, *, threads: int = 1, progress: Callable[[str, float], None] | None = None
    ) -> AbstractGame:
        """The game with its tables, from the cache or built."""
        buckets = _card_buckets(self.config, threads, progress)
        if self.num_buckets is None:
            _check_memory(self.tree, buckets.num_buckets, self.memory_limit, self.machine)
        config = dataclasses.replace(self.config, cards=buckets.describe())
        return AbstractGame(config, self.tree, buckets)


def _check_memory(
    tree: BettingTree, num_buckets: tuple[int, ...], limit: int | None, machine: int
) -> None:
    need = tree.num_bytes(num_buckets)
    if need <= machine and (limit is None or need <= limit):
        return
    there = f"{_size(machine)} that this machine has"
    if limit is not None and limit < machine:
        there = f"{_size(limit)} allowed"
    raise TooLargeError(
        f"{tree.num_infosets(num_buckets):,} infosets need {_size(need)}, more than the {there};"
        " use fewer sizes or buckets, or more memory."
    )


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 1e9:,.2f} GB" if num_bytes >= 1e7 else f"{num_bytes / 1e6:,.3f} MB"


def _check_cards(config: HoldemConfig) -> Recipe | None:
    """Refuse a `[cards]` that is none, or not for this game; the recipe where it is one."""
    table, game = config.cards, config.game
    scheme = table.get("scheme")
    if list(table) == ["file"]:
        if not isinstance(table["file"], str):
            raise ParameterError(f"The file of a card abstraction is a text, not {table['file']}.")
    elif "file" in table or scheme is None:
        raise ParameterError(f"[cards] has either a scheme ({', '.join(SCHEMES)}) or a file.")
    elif scheme not in SCHEMES:
        raise UnknownNameError.among("card scheme", str(scheme), SCHEMES)
    if scheme == "lossless" and len(table) > 1:
        raise ParameterError("The card scheme lossless takes no settings.")
    if scheme in ("percentile", "lossless"):
        return None
    if not is_whole_deck(game) or game.num_streets != len(STREET_NAMES):
        raise ParameterError(
            f"The card abstraction {scheme or table['file']} is for 52 cards and four streets, not"
            " for this game; use scheme = 'lossless'."
        )
    return None if scheme is None else Recipe.from_table(table)


def _num_buckets(config: HoldemConfig) -> tuple[int, ...] | None:
    """Buckets by street where they are known without tables; refuses what is not for this game."""
    recipe = _check_cards(config)
    if recipe is not None:
        return recipe.num_buckets
    return None if "file" in config.cards else _card_buckets(config).num_buckets


def _card_buckets(
    config: HoldemConfig, threads: int = 1, progress: Callable[[str, float], None] | None = None
) -> CardBuckets:
    table = dict(config.cards)
    scheme = table.pop("scheme", None)
    if scheme == "percentile":
        return Percentile(config.game, table)
    if scheme == "lossless":
        return Lossless(config.game)
    source = table["file"] if scheme is None else Recipe.from_table(config.cards)
    return card_abstraction(source, threads=threads, progress=progress)
