"""Measuring a blueprint as jobs: stretches of duplicate deals, boards of local best response.

Every deal and board follows from the seed and its number, and figures are made from all results in
order. So they are the same, bit for bit, for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.holdem.blueprints.strength.duplicate_match import (
    STRETCH,
    Choice,
    MatchResult,
    match_result,
    play_stretch,
)
from riverboat.holdem.blueprints.strength.lbr import (
    Exploiter,
    LbrResult,
    can_be_exploited,
    local_best_response,
)
from riverboat.holdem.blueprints.strength.measure import Heard, Stage, Strength, partner_of
from riverboat.holdem.search.measure.local_response import (
    LbrDraw,
    SearchLbr,
    exploiter_sizes,
    search_lbr,
)
from riverboat.holdem.search.measure.match import MatchDraw, SearchMatch, search_match
from riverboat.holdem.search.options import SearchOptions
from riverboat.jobs.job_list import Crew, PlainWork, run_jobs, stretches

BOARDS = 2  # In one job; a board takes about a second


def _play_deals(
    blueprint: Blueprint, seed: int, partner: Choice, job: tuple[int, int]
) -> NDArray[np.float64]:
    return play_stretch(blueprint, partner, *job, seed=seed)


def _play_boards(exploiter: Exploiter, boards: NDArray[np.uint8]) -> list[float]:
    return [exploiter.on_board(board.copy()) for board in boards]


def _draw(seed: int, player: SearchLbr | SearchMatch, number: int) -> LbrDraw | MatchDraw:
    return player.draw(number, seed)


@dataclass(frozen=True)
class CrewSplitter:
    """Lets a crew play what `measure` asks for."""

    crew: Crew

    def match(
        self, blueprint: Blueprint, style: str, deals: int, seed: int, progress: Heard
    ) -> MatchResult:
        """What duplicate_match gives."""
        jobs = [
            (number, last - first) for number, (first, last) in enumerate(stretches(deals, STRETCH))
        ]
        partner = partial(partner_of, blueprint, style)
        work = PlainWork(partner, partial(_play_deals, blueprint, seed))
        found, done = [], 0
        for part in run_jobs(work, jobs, self.crew):
            found.append(part)
            done += len(part)
            progress(done)
        return match_result(blueprint.rules, np.concatenate(found))

    def draws(
        self, blueprint: Blueprint, options: SearchOptions, raises: Sequence[str], seed: int
    ) -> Callable[[Sequence[int]], Iterator[LbrDraw]]:
        """Who makes the draws of search_lbr."""
        make = partial(SearchLbr, blueprint, options, tuple(raises))
        work = PlainWork(make, partial(_draw, seed))
        return lambda numbers: run_jobs(work, list(numbers), self.crew)

    def match_draws(
        self, blueprint: Blueprint, options: SearchOptions, seed: int
    ) -> Callable[[Sequence[int]], Iterator[MatchDraw]]:
        """Who makes the draws of search_match."""
        work = PlainWork(partial(SearchMatch, blueprint, options), partial(_draw, seed))
        return lambda numbers: run_jobs(work, list(numbers), self.crew)

    def exploit(
        self, blueprint: Blueprint, boards: int, raises: Sequence[str], seed: int, progress: Heard
    ) -> LbrResult:
        """What local_best_response gives."""
        work = PlainWork(partial(Exploiter, blueprint, tuple(raises)), _play_boards)

        def play(drawn: Sequence[NDArray[np.uint8]]) -> Iterator[float]:
            jobs = [np.stack(drawn[a:b]) for a, b in stretches(len(drawn), BOARDS)]
            for values in run_jobs(work, jobs, self.crew):
                yield from values

        return local_best_response(
            blueprint, boards, raises=raises, seed=seed, progress=progress, play=play
        )


@dataclass(frozen=True)
class SearchingPlayer:
    """A player search:FILE whose strength is asked for."""

    file: str
    options: SearchOptions

    def exploited(
        self,
        blueprint: Blueprint,
        boards: int,
        raises: str,
        seed: int,
        stage: Stage,
        splitter: CrewSplitter | None,
    ) -> Strength:
        """Local best response against it and against its blueprint on the same boards."""
        if not can_be_exploited(blueprint):
            raise UsageError("Local best response is for two players, 52 cards and four streets.")
        sizes = exploiter_sizes(raises)
        play = None
        if splitter is not None:
            play = splitter.draws(blueprint, self.options, sizes, seed)
        found = search_lbr(
            blueprint,
            self.options,
            boards,
            raises=sizes,
            seed=seed,
            progress=stage("local best response", boards, "boards"),
            play=play,
        )
        return Strength(found.figures())

    def matched(
        self,
        blueprint: Blueprint,
        boards: int,
        seed: int,
        stage: Stage,
        splitter: CrewSplitter | None,
    ) -> Strength:
        """A match against its blueprint, all hands of both at once."""
        play = None
        if splitter is not None:
            play = splitter.match_draws(blueprint, self.options, seed)
        found = search_match(
            blueprint,
            self.options,
            boards,
            seed=seed,
            progress=stage("against its blueprint", boards, "boards"),
            play=play,
        )
        return Strength(found.figures())


def searching(text: str) -> SearchingPlayer | None:
    """The searching player that a text names; None where it is a file."""
    if text.partition("?")[0].partition(":")[0] != "search":
        return None
    spec = spec_of(text)
    return SearchingPlayer(spec.argument or "shipped", SearchOptions.read(spec.options, text))
