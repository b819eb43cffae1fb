"""AnyStrategy: what every kind of strategy can do, whether a table, a Q table or a blueprint.

    strategy["Kh|"]             what to do at an infoset: action → probability
    strategy[1, "Kh|c"]         the same where two players have an infoset of that text
    strategy.lookup(0, "Kh|")   the same, None where nothing is known
    for player, infoset in strategy: …
    len(strategy), strategy.info, strategy.describe(), strategy.save("x.rb")

Players are counted from 0, as in files and in State.infoset.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from riverboat.drawing.html import Markup, bar, html_table
from riverboat.errors import RiverboatError
from riverboat.games.base import Action, ParameterValue
from riverboat.games.registry import make_game
from riverboat.runtime.tables import data_frame

Entry: TypeAlias = tuple[int, str, dict[Action, float]]
"""Player, infoset, and the probability of each action there."""

SHOWN = 40  # Infosets that a notebook shows


class AnyStrategy(ABC):
    """A strategy of any kind: looked up, listed, described, saved."""

    kind: ClassVar[str]
    """The kind of its file (strategies.kinds)."""

    if TYPE_CHECKING:  # fields of most kinds, properties of others

        @property
        def game(self) -> str: ...

        @property
        def parameters(self) -> Mapping[str, ParameterValue]: ...

        @property
        def info(self) -> Mapping[str, Any]:
            """How it was made; what is in it depends on the kind."""

    @abstractmethod
    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """The probability of each action, or None where nothing is known."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """Every infoset: player, text, and the probability of each action."""

    @abstractmethod
    def save(self, path: str | Path) -> object:
        """Write a file that load() reads back."""

    @abstractmethod
    def __len__(self) -> int:
        """How many infosets it knows."""

    def __getitem__(self, key: str | tuple[int, str]) -> dict[Action, float]:
        if isinstance(key, tuple):
            rows = [self.lookup(*key)]
        else:
            rows = [self.lookup(player, key) for player in range(self.num_players)]
        known = [probabilities for probabilities in rows if probabilities is not None]
        if len(known) == 1:
            return known[0]
        if known:
            raise KeyError(f"{key!r} is an infoset of {len(known)} players; ask for (player, key)")
        raise KeyError(f"{key!r} is not an infoset of this strategy for {self.game}")

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return ((player, key) for player, key, _ in self.entries())

    def __contains__(self, key: object) -> bool:
        try:
            return bool(self[key])  # type: ignore[index]
        except (KeyError, TypeError):
            return False

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame with a row for each action of each infoset."""
        rows = [
            (player, infoset, action, probability)
            for player, infoset, known in self.entries()
            for action, probability in known.items()
        ]
        heads = ("player", "infoset", "action", "probability")
        return data_frame({head: [row[i] for row in rows] for i, head in enumerate(heads)}, library)

    def __bool__(self) -> bool:
        """A strategy is a thing, however little it knows."""
        return True

    @property
    def num_players(self) -> int:
        """How many players it has infosets of."""
        return make_game(self.game, self.parameters).num_players

    @property
    def title(self) -> str:
        """The game and its parameters, as in "leduc, ranks=3"."""
        return ", ".join([self.game, *_words(self.parameters)])

    def describe(self) -> str:
        """What it is for and how it was made, in one line."""
        return ", ".join([f"{self.title}: {len(self):,} infosets", *_origin(self.info)])

    def as_dict(self) -> dict[str, Any]:
        """Its facts for a program; the probabilities are in entries() and in export."""
        return {
            "kind": self.kind,
            "game": self.game,
            "parameters": dict(self.parameters),
            "info": dict(self.info),
            "infosets": len(self),
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.describe()}>"

    def _repr_html_(self) -> str:
        label = self._labels()
        rows = [
            (
                player + 1,
                key,
                Markup("".join(bar(p, label(a), i) for i, (a, p) in enumerate(chances.items()))),
            )
            for player, key, chances in islice(self.entries(), SHOWN)
        ]
        remaining = len(self) - len(rows)
        note = f"… and {remaining:,} more infosets" if remaining > 0 else ""
        return html_table(("player", "infoset", ""), rows, title=self.describe(), note=note)

    def _labels(self) -> Callable[[Action], str]:
        """Actions in words, where the game is known here."""
        try:
            return make_game(self.game, self.parameters).action_label
        except RiverboatError:
            return str


def _words(parameters: Mapping[str, ParameterValue]) -> list[str]:
    return [
        f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
        for key, value in parameters.items()
    ]


def _origin(info: Mapping[str, Any]) -> list[str]:
    """What is known of how a strategy was made and how good it is."""
    words = []
    algorithm, games = info.get("algorithm", info.get("method")), info.get("games")
    count, unit = (info.get("iterations"), "iterations") if games is None else (games, "games")
    if algorithm is not None:
        words.append(str(algorithm))
    if count:
        words.append(f"{count:,} {unit}")
    if "exploitability" in info:
        words.append(f"exploitability {info['exploitability']:.3g}")
    return words
