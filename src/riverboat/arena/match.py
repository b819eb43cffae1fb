"""Matches: many hands between the same players, seats rotating, with 95 % intervals."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.hand import Listener, play_hand, player_stream
from riverboat.drawing.html import html_table
from riverboat.errors import TooLargeError, UsageError
from riverboat.evaluation.estimates import estimate
from riverboat.games.base import Game, check_seats
from riverboat.players.player import HumanPlayer, LeaveTable, Player
from riverboat.runtime.tables import data_frame

HANDS_PER_STRETCH = 500  # With random numbers of their own, so that they can be played anywhere
_TRIAL = 200  # Hands after which the time of the whole match is foreseen
_LONGEST = 60 * 86_400  # Seconds; a match of more than two months is a slip of the finger


@dataclass(frozen=True, repr=False)
class MatchLog:
    """What a match came to: per player the mean return a hand and half its 95 % interval."""

    game: str
    players: tuple[str, ...]
    hands: int
    seed: int
    mean: tuple[float, ...]
    ci95: tuple[float, ...]
    mean_by_seat: tuple[tuple[float, ...], ...]
    """mean_by_seat[i][s]: player i's mean while sitting in seat s."""
    stopped: bool = False
    """Whether the match was left, or stopped with Ctrl-C, before all its hands were played."""
    unit: str = ""
    """What returns are counted in, where the game does not count what is won."""
    big_blind: float = 0
    """The big blind where returns are chips of a game that has one; figures are in mbb/g too."""

    @property
    def mbb_per_game(self) -> tuple[float, ...]:
        """Per player the mean in mbb/g, thousandths of a big blind a hand; empty without blinds."""
        return tuple(1000 * mean / self.big_blind for mean in self.mean if self.big_blind)

    @property
    def mbb_per_game_ci95(self) -> tuple[float, ...]:
        """Half the 95 % intervals of mbb_per_game."""
        return tuple(1000 * half / self.big_blind for half in self.ci95 if self.big_blind)

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program: what `riverboat match --json` prints."""
        return {
            "game": self.game,
            "players": list(self.players),
            "hands": self.hands,
            "seed": self.seed,
            "mean": list(self.mean),
            "ci95": list(self.ci95),
            "mean_by_seat": [list(row) for row in self.mean_by_seat],
            "stopped": self.stopped,
            **({"unit": self.unit} if self.unit else {}),
            **({"mbb_per_game": list(self.mbb_per_game)} if self.big_blind else {}),
            **({"mbb_per_game_ci95": list(self.mbb_per_game_ci95)} if self.big_blind else {}),
        }

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame with a row for each player: mean, half its interval, the mean by seat."""
        columns: dict[str, Sequence[Any]] = {"player": self.players, "mean": self.mean}
        columns["ci95"] = self.ci95
        if self.big_blind:
            columns["mbb_per_game"] = self.mbb_per_game
            columns["mbb_per_game_ci95"] = self.mbb_per_game_ci95
        for seat in range(len(self.players)):
            columns[f"seat_{seat}"] = [means[seat] for means in self.mean_by_seat]
        return data_frame(columns, library)

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands above the columns of `rows`."""
        seats = (f"as player {seat + 1}" for seat in range(len(self.players)))
        if self.big_blind:
            return ("player", "chips/hand", "95 %", "mbb/g", "95 %", *seats)
        return ("player", f"{self.unit} per hand".lstrip(), "95 %", *seats)

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each player: name, mean, half the interval, and the mean in each seat.

        With a big blind mean and interval come in mbb/g too.
        """
        digits = 2 if self.big_blind else 4
        blinds: list[tuple[str, ...]] = [
            (f"{mean:+z,.0f}", f"± {half:,.0f}")
            for mean, half in zip(self.mbb_per_game, self.mbb_per_game_ci95, strict=True)
        ]
        return [
            (
                name,
                f"{mean:+z.{digits}f}",
                f"± {half:.{digits}f}",
                *in_blinds,
                *(f"{seat:+z.{digits}f}" for seat in seats),
            )
            for name, mean, half, in_blinds, seats in zip(
                self.players,
                self.mean,
                self.ci95,
                blinds or [()] * len(self.players),
                self.mean_by_seat,
                strict=True,
            )
        ]

    def __repr__(self) -> str:
        def shown(name: str, mean: str, half: str, *more: str) -> str:
            return f"{name} {mean} {half}" + (f" ({more[0]} {more[1]})" if self.big_blind else "")

        results = ", ".join(shown(*row) for row in self.rows())
        unit = "chips per hand (mbb/g)" if self.big_blind else self.heads[1]
        return f"<MatchLog {self.game}, {self.hands:,} hands: {results} {unit}>"

    def _repr_html_(self) -> str:
        title = f"{self.game}, {self.hands:,} hands" + ", stopped early" * self.stopped
        return html_table(self.heads, self.rows(), title=title)


def run_match(
    game: Game,
    players: Sequence[Player],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    listener: Listener | None = None,
) -> MatchLog:
    """Play `hands` hands; in hand h player i sits in seat (i + h) mod P, so seats even out.

    Ctrl-C or a person who leaves ends the match early: the log has the hands that were played.
    """
    count = game.num_players
    check_seats(game, len(players))
    if hands < 1:
        raise UsageError(f"A match needs at least one hand, not {hands}.")
    results = array("d")
    patient = any(isinstance(player, HumanPlayer) for player in players)
    started = time.perf_counter()
    stopped = False
    try:
        for hand, returns in enumerate(_hands(game, players, 0, hands, seed, listener)):
            # One step, so that Ctrl-C cannot leave half a hand behind.
            results.extend(returns)
            if hand + 1 == _TRIAL and not patient:
                per_second = _TRIAL / (time.perf_counter() - started)
                if hands / per_second > _LONGEST:
                    raise TooLargeError.in_time("hands", hands, per_second)
            if progress is not None:
                progress(hand + 1)
    except (KeyboardInterrupt, LeaveTable):
        if not results:
            raise
        stopped = True
    names = [player.name for player in players]
    return match_log(game, names, np.frombuffer(results).reshape(-1, count), seed, stopped)


def _hands(
    game: Game,
    players: Sequence[Player],
    first: int,
    hands: int,
    seed: int,
    listener: Listener | None = None,
) -> Iterator[tuple[float, ...]]:
    """The returns by seat of hands from `first` on; each stretch of hands is seeded anew."""
    count = game.num_players
    for hand in range(first, first + hands):
        number, inside = divmod(hand, HANDS_PER_STRETCH)
        if inside == 0 or hand == first:
            source = np.random.default_rng(seed if number == 0 else [seed, number])
            chance, *streams = source.spawn(count + 1)
            generators = [player_stream(stream) for stream in streams]
        sitting = [(seat - hand) % count for seat in range(count)]
        record = play_hand(
            game,
            [players[i] for i in sitting],
            chance,
            [generators[i] for i in sitting],
            listener=listener,
        )
        yield tuple(record.returns)


def play_stretch_of_hands(
    game: Game, players: Sequence[Player], number: int, hands: int, seed: int
) -> NDArray[np.float64]:
    """(hands, P) returns by seat of a match's stretch `number`, at most HANDS_PER_STRETCH hands.

    They follow from the seed and the number alone, with players who remember nothing.
    """
    return np.array(list(_hands(game, players, number * HANDS_PER_STRETCH, hands, seed)))


def match_log(
    game: Game, names: Sequence[str], results: NDArray[np.float64], seed: int, stopped: bool = False
) -> MatchLog:
    """The log of (H, P) results by hand and seat."""
    hands, count = results.shape
    turns = np.arange(hands)[:, None] % count
    seats = (np.arange(count)[None, :] + turns) % count
    own = np.take_along_axis(results, seats, axis=1)  # (H, P) by hand and player
    mean, ci95 = estimate(own)
    return MatchLog(
        game=game.name,
        players=tuple(names),
        hands=hands,
        seed=seed,
        mean=tuple(mean.tolist()),
        ci95=tuple(ci95.tolist()),
        mean_by_seat=tuple(
            tuple(_mean(own[seats[:, i] == seat, i]) for seat in range(count)) for i in range(count)
        ),
        stopped=stopped,
        unit=getattr(game, "unit", ""),
        big_blind=0 if hasattr(game, "unit") else getattr(game, "big_blind", 0),
    )


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else 0.0
