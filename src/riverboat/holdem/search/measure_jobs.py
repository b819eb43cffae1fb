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
from riverboat.holdem.blueprints.duplicate_match import (
    STRETCH,
    Choice,
    MatchResult,
    match_result,
    play_stretch,
)
from riverboat.holdem.blueprints.lbr import (
    Exploiter,
    LbrResult,
    can_be_exploited,
    local_best_response,
)
from riverboat.holdem.blueprints.measure import DoneCallback, Stage, Strength, measure, partner_of
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.holdem.search._local_response import LbrDraw, SearchLbr, exploiter_sizes, search_lbr
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._search_match import MatchDraw, SearchMatch, search_match
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
        self, blueprint: Blueprint, style: str, deals: int, seed: int, progress: DoneCallback
    ) -> MatchResult:
        """What duplicate_match gives."""
        jobs = [
            (number, last - first) for number, (first, last) in enumerate(stretches(deals, STRETCH))
        ]
        partner = partial(partner_of, blueprint, style)
        work = PlainWork(partner, partial(_play_deals, blueprint, seed))
        results, done = [], 0
        for part in run_jobs(work, jobs, self.crew):
            results.append(part)
            done += len(part)
            progress(done)
        return match_result(blueprint.rules, np.concatenate(results))

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
        self,
        blueprint: Blueprint,
        boards: int,
        raises: Sequence[str],
        seed: int,
        progress: DoneCallback,
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
        result = search_lbr(
            blueprint,
            self.options,
            boards,
            raises=sizes,
            seed=seed,
            progress=stage("local best response", boards, "boards"),
            play=play,
        )
        return Strength(result.figures())

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
        result = search_match(
            blueprint,
            self.options,
            boards,
            seed=seed,
            progress=stage("against its blueprint", boards, "boards"),
            play=play,
        )
        return Strength(result.figures())


def measure_player(
    name: str,
    *,
    against: str | None = None,
    deals: int | None = None,
    boards: int | None = None,
    raises: str = "0.5p,1p,a",
    baseline: str | None = None,
    response: int = 0,
    threads: int = 1,
    seed: int = 0,
    stage: Stage,
    tables: Callable[[str, float], None] | None = None,
    crew: Crew | None = None,
) -> tuple[Blueprint, Strength]:
    """Measure a blueprint's file, or `search:FILE`; the blueprint is returned with the figures.

    Args:
        name: A file, `shipped`, or a searching player.
        against: Partners with commas between; for a searching player only "blueprint", its own.
        deals: Deals of each match (1,000), or boards of a searching player's match (20).
        boards: Boards of local best response: 100, or 20 for a searching player; 0 for none.
        raises: Sizes by which local best response raises.
        baseline: Another blueprint, measured on the same boards.
        response: Deals to learn a response in the abstraction from; not for a searching player.
        threads: Threads of this process; deals and boards are split by a crew instead.
        seed: Decides deals and boards.
        stage: Called as `measure` calls it.
        tables: Called with the progress of card tables where they are built.
        crew: Plays deals and boards; the figures stay the same.
    """
    if crew is not None and threads > 1:
        raise UsageError("Threads are for one process; they do nothing with workers or Ray.")
    splitter = None if crew is None else CrewSplitter(crew)
    player = searching(name)
    if player is None:
        blueprint = Blueprint.load(name, progress=tables)
        return blueprint, measure(
            blueprint,
            against="fold,call,random,rules" if against is None else against,
            deals=1000 if deals is None else deals,
            boards=boards,
            raises=raises,
            baseline=None if baseline is None else Blueprint.load(baseline, progress=tables),
            response=response,
            threads=threads,
            seed=seed,
            stage=stage,
            tables=tables,
            splitter=splitter,
        )
    if response or threads > 1:
        raise UsageError(
            "A searching player is measured by local best response and by a match with its"
            " blueprint, by one thread or by workers; a learned response is for blueprints."
        )
    if baseline not in (None, player.file):
        raise UsageError("The baseline of a searching player is its own blueprint.")
    if against is None and deals is not None:
        raise UsageError("Deals are for a match: play it against the blueprint.")
    if against not in (None, "blueprint"):
        raise UsageError(
            "A searching player is matched with its own blueprint, against=blueprint; for another"
            " opponent take riverboat match holdem."
        )
    if boards == 0 and against is None:
        raise UsageError("Without boards and without a match nothing is left to measure.")
    blueprint, figures = Blueprint.load(player.file, progress=tables), {}
    if against is not None:
        count = 20 if deals is None else deals
        figures = player.matched(blueprint, count, seed, stage, splitter).figures
    if boards or (boards is None and against is None):
        count = 20 if boards is None else boards
        figures |= player.exploited(blueprint, count, raises, seed, stage, splitter).figures
    return blueprint, Strength(figures)


def searching(text: str) -> SearchingPlayer | None:
    """The searching player that a text names; None where it is a file."""
    if text.partition("?")[0].partition(":")[0] != "search":
        return None
    spec = spec_of(text)
    options = SearchOptions.read(spec.options, text)
    if options.preflop:
        raise UsageError(
            "What the search adds is measured with its blueprint before the flop;"
            " leave out preflop here, or play a match."
        )
    return SearchingPlayer(spec.argument or "shipped", options)
