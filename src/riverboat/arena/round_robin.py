"""A round robin: every player against every other on the same deals, payoffs and Elo ratings.

Each deal is played twice with the seats exchanged and the same cards (duplicate deals), so that
luck of the deal evens out; all pairings play the same deals. A payoff is the mean over deals of a
player's result a hand. Where the game has a big blind it is given in mbb/g, thousandths of a big
blind a game.

Elo ratings are the maximum-likelihood fit of Bradley and Terry ("Rank analysis of incomplete block
designs", Biometrika 1952): a player rated 400 points above another wins a deal with odds of ten to
one. A deal is won by the player with the higher result over both seats; a tie is half a win. One
drawn deal is added to each pairing, so that a player who wins every deal has a finite rating.
Ratings are about how often deals are won, not about how much: a player who wins many small pots and
loses a few large ones has a high rating and a negative payoff.

Intervals are 95 %. Deals are the independent units: payoffs against all others are averaged by deal
first, and the variance of ratings is the larger of the model's own (inverse Fisher information) and
the one clustered by deal (the sandwich estimator of Huber and White).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from riverboat.arena.hand import play_hand, player_stream
from riverboat.drawing.html import html_table, join
from riverboat.errors import UsageError
from riverboat.evaluation.estimates import Z95, estimate
from riverboat.games.base import Game
from riverboat.players.own_bots import MOVE_SECONDS, GuardedPlayer, is_own, shown_name
from riverboat.players.player import HumanPlayer, Player
from riverboat.runtime.array_types import F64
from riverboat.runtime.tables import data_frame

MAX_PLAYERS = 200
ELO_MEAN, ELO_SCALE = 1500.0, 400.0 / math.log(10.0)
MAX_STEP = 2.0  # Longest step of Newton's method, in logarithms of odds


class PairingResult(NamedTuple):
    """What deals between two players came to."""

    returns: F64  # (D, 2) each player's mean over both seats, by deal
    faults: tuple[int, int]
    troubles: tuple[str, str]  # What went wrong the first time


def check_round_robin(game: Game, players: Sequence[Player], deals: int) -> None:
    """Refuse what cannot be a round robin."""
    if game.num_players != 2:
        raise UsageError(
            f"A round robin pairs players, and {game.name} seats {game.num_players}; give a match"
            " exactly as many players as the game has seats."
        )
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise UsageError(f"A round robin takes 2 to {MAX_PLAYERS} players, not {len(players)}.")
    if deals < 1:
        raise UsageError("A round robin needs at least two hands, one from each seat.")
    if any(isinstance(player, HumanPlayer) for player in players):
        raise UsageError("A person plays a match of two; a round robin is for bots.")


def play_pairing(
    game: Game,
    players: tuple[Player, Player],
    deals: int,
    *,
    cards: np.random.Generator,
    source: np.random.Generator,
    move_seconds: float = MOVE_SECONDS,
) -> PairingResult:
    """Play deals from both seats: `cards` deals them, `source` is for what players draw by lot.

    Players of the user's own begin as they were made: what they remember ends with the deals.
    """
    pair = [
        GuardedPlayer(player, move_seconds).anew() if is_own(player) else player
        for player in players
    ]
    streams = [player_stream(stream) for stream in source.spawn(2)]
    payoffs = np.empty((deals, 2))
    try:
        for deal, number in enumerate(cards.integers(2**63, size=deals).tolist()):
            one, other = (
                play_hand(game, seats, np.random.Generator(np.random.PCG64(number)), dice).returns
                for seats, dice in ((pair, streams), (pair[::-1], streams[::-1]))
            )
            payoffs[deal] = (one[0] + other[1]) / 2, (one[1] + other[0]) / 2
    finally:
        guards = [player if isinstance(player, GuardedPlayer) else None for player in pair]
        for guard in filter(None, guards):
            guard.close()
    faults = [guard.faults if guard else 0 for guard in guards]
    troubles = [guard.trouble if guard else "" for guard in guards]
    return PairingResult(payoffs, (faults[0], faults[1]), (troubles[0], troubles[1]))


@dataclass(frozen=True, repr=False)
class RoundRobin:
    """The table of a round robin; players stand in the order they were given."""

    game: str
    unit: str
    players: tuple[str, ...]
    deals: int
    seed: int
    payoff: F64  # (P, P) row against column; NaN on the diagonal
    payoff_ci95: F64
    mean: tuple[float, ...]
    """A player's payoff against all others together."""
    ci95: tuple[float, ...]
    elo: tuple[float, ...]
    elo_ci95: tuple[float, ...]
    faults: tuple[int, ...]
    """Decisions that the table took, because the player failed, broke the rules or was late."""
    troubles: tuple[str, ...]
    stopped: bool = False

    @property
    def ranking(self) -> tuple[int, ...]:
        """Players' numbers, the highest payoff first."""
        return tuple(sorted(range(len(self.players)), key=lambda i: -self.mean[i]))

    @property
    def title(self) -> str:
        """What was played, in a line."""
        hands = f"{2 * self.deals:,} hands per pairing, duplicate deals"
        return f"{self.game}, {hands}" + ", stopped early" * self.stopped

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each player, best first: name, payoff, its interval, Elo, its interval."""
        digits = 0 if self.unit == "mbb/g" else 4
        return [
            (
                self.players[i],
                f"{self.mean[i]:+z,.{digits}f}",
                f"± {self.ci95[i]:,.{digits}f}",
                f"{self.elo[i]:.0f}",
                f"± {self.elo_ci95[i]:.0f}",
            )
            for i in self.ranking
        ]

    def payoff_rows(self) -> list[tuple[str, ...]]:
        """The payoffs of each player against each other one, in the order of the ranking."""
        digits = 0 if self.unit == "mbb/g" else 3
        return [
            (
                self.players[i],
                *(
                    "·"
                    if i == j
                    else f"{self.payoff[i, j]:+z,.{digits}f} ± {self.payoff_ci95[i, j]:,.{digits}f}"
                    for j in self.ranking
                ),
            )
            for i in self.ranking
        ]

    def notes(self) -> list[str]:
        """A sentence for each player who was answered for."""
        return [
            f"{self.players[i]}: the table acted {self.faults[i]:,} times; {self.troubles[i]}."
            for i in self.ranking
            if self.faults[i]
        ]

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "game": self.game,
            "unit": self.unit,
            "players": list(self.players),
            "deals": self.deals,
            "hands_per_pairing": 2 * self.deals,
            "seed": self.seed,
            "mean": list(self.mean),
            "ci95": list(self.ci95),
            "elo": list(self.elo),
            "elo_ci95": list(self.elo_ci95),
            "payoff": _without_diagonal(self.payoff),
            "payoff_ci95": _without_diagonal(self.payoff_ci95),
            "faults": list(self.faults),
            "troubles": list(self.troubles),
            "stopped": self.stopped,
        }

    def to_frame(self, *, pairs: bool = False, library: str | None = None) -> Any:
        """A data frame with a row for each player, or with `pairs` for each ordered pairing."""
        if pairs:
            both = [(i, j) for i in self.ranking for j in self.ranking if i != j]
            columns: dict[str, list[Any]] = {
                "player": [self.players[i] for i, _ in both],
                "opponent": [self.players[j] for _, j in both],
                "payoff": [float(self.payoff[pair]) for pair in both],
                "ci95": [float(self.payoff_ci95[pair]) for pair in both],
            }
        else:
            facts = ("players", "mean", "ci95", "elo", "elo_ci95", "faults")
            columns = {name: [getattr(self, name)[i] for i in self.ranking] for name in facts}
            columns["player"] = columns.pop("players")
            columns = {"player": columns["player"], **columns}
        return data_frame(columns, library)

    def __repr__(self) -> str:
        best = ", ".join(" ".join(row[:3]) for row in self.rows()[:3])
        more = " …" * (len(self.players) > 3)
        return f"<RoundRobin {self.title}: {best}{more} {self.unit}>"

    def _repr_html_(self) -> str:
        heads = ("player", self.unit, "95 %", "Elo", "95 %")
        names = [self.players[i] for i in self.ranking]
        tables = [html_table(heads, self.rows(), title=self.title)]
        tables.append(html_table(("against", *names), self.payoff_rows(), title=self.unit))
        return join(*tables)


def _without_diagonal(values: F64) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in row] for row in values.tolist()]


def round_robin_table(
    game: Game,
    names: Sequence[str],
    pairs: Sequence[tuple[int, ...]],
    rounds: Sequence[Sequence[PairingResult]],
    seed: int,
    stopped: bool,
) -> RoundRobin:
    """The table of whole rounds, each with a result for each of `pairs`."""
    if not rounds:
        raise KeyboardInterrupt
    count = len(names)
    scale, unit = _unit(game)
    deals = sum(len(results[0].returns) for results in rounds)
    returns = np.full((deals, count, count), np.nan)  # By deal, player and opponent
    faults, troubles = [0] * count, [""] * count
    first = 0
    for results in rounds:
        last = first + len(results[0].returns)
        for pair, result in zip(pairs, results, strict=True):
            a, b = pair
            returns[first:last, a, b], returns[first:last, b, a] = result.returns.T
            for player, number, words in zip(pair, result.faults, result.troubles, strict=True):
                faults[player] += number
                troubles[player] = troubles[player] or words
        first = last
    payoff, payoff_ci95 = estimate(returns * scale)
    mean, ci95 = estimate(np.nanmean(returns * scale, axis=2))
    elo, elo_ci95 = elo_ratings(np.sign(returns - returns.transpose(0, 2, 1)))
    return RoundRobin(
        game=game.name,
        unit=unit,
        players=tuple(_unique(names)),
        deals=deals,
        seed=seed,
        payoff=payoff,
        payoff_ci95=payoff_ci95,
        mean=tuple(mean.tolist()),
        ci95=tuple(ci95.tolist()),
        elo=tuple(elo.tolist()),
        elo_ci95=tuple(elo_ci95.tolist()),
        faults=tuple(faults),
        troubles=tuple(troubles),
        stopped=stopped,
    )


def _unit(game: Game) -> tuple[float, str]:
    """What a payoff is multiplied by, and what it is called."""
    if hasattr(game, "unit"):
        return 1.0, f"{game.unit} per hand"
    blind = getattr(game, "big_blind", 0)
    return (1000.0 / blind, "mbb/g") if blind else (1.0, "per hand")


def _unique(names: Sequence[str]) -> list[str]:
    """Names fit for a table; those that come again are numbered."""
    labels: list[str] = []
    for name in map(shown_name, names):
        number, label = 1, name
        while label in labels:
            number += 1
            label = f"{name} ({number})"
        labels.append(label)
    return labels


def elo_ratings(outcomes: F64) -> tuple[F64, F64]:
    """Ratings (P,) with half their 95 % intervals, from outcomes (D, P, P).

    outcomes[d, i, j] is 1 where i won deal d from j, −1 where it lost, 0 after a tie, and NaN where
    they did not meet. The ratings' mean is ELO_MEAN.
    """
    count = outcomes.shape[1]
    met = ~np.isnan(outcomes)
    scores = np.where(met, (1 + np.nan_to_num(outcomes)) / 2, 0.0)
    games = met.sum(axis=0) + (met.any(axis=0)).astype(float)  # One drawn deal more
    wins = scores.sum(axis=0) + met.any(axis=0) / 2
    strength = np.zeros(count)
    for _ in range(200):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        slope = (wins - games * chance).sum(axis=1)
        step = np.linalg.pinv(_information(games, chance)) @ slope
        strength += step * min(1.0, MAX_STEP / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-12:
            break
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    inverse = np.linalg.pinv(_information(games, chance))
    surprise = np.where(met, scores - chance, 0.0).sum(axis=2)  # (D, P)
    clustered = inverse @ (surprise.T @ surprise) @ inverse
    variance = np.maximum(np.diag(inverse), np.diag(clustered))
    return ELO_MEAN + ELO_SCALE * strength, Z95 * ELO_SCALE * np.sqrt(variance)


def _information(games: F64, chance: F64) -> F64:
    """The Fisher information of the strengths: a weighted Laplacian of who met whom."""
    weights = games * chance * (1 - chance)
    np.fill_diagonal(weights, 0.0)
    information: F64 = np.diag(weights.sum(axis=1)) - weights
    return information
