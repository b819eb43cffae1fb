"""solve_public(): a game with a public tree in, a strategy with its values and NashConv out.

`nodes` in the strategy's `info` counts public nodes, ends included. Where a house shares the
stakes (the duel's dealer), `payoffs` adds what it gets.
"""

from __future__ import annotations

import time
from pathlib import Path

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game
from riverboat.solvers.algorithms import config_text, parse_algorithm
from riverboat.solvers.config import CONFIGS, CFRConfig
from riverboat.solvers.frame import CHECKPOINT_SECONDS, Frame, SolveResult, check_resume
from riverboat.solvers.limits import Limit, ProgressCallback
from riverboat.solvers.public_cfr import SAMPLED_PREFIX, PublicCFRSolver
from riverboat.strategies.files import check_writable
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.public_games import PublicGame, public_game
from riverboat.trees.public_tree import MEMORY_LIMIT, load_kernels

__all__ = ["public_algorithm", "solve_public"]

AUTOMATIC = "pdcfr+"


def public_algorithm(text: str, *, alternating: bool | None = None) -> tuple[CFRConfig, bool]:
    """The member of the CFR family that a text names, and whether it samples hands.

    `auto`, any member as in solvers.algorithms, `sampled-` before a member, `cs-cfr`.
    """
    name = text.strip().lower()
    name = {"auto": AUTOMATIC, "cs-cfr": SAMPLED_PREFIX + "cfr"}.get(name, name)
    sampled = name.startswith(SAMPLED_PREFIX)
    try:
        spec = parse_algorithm(name.removeprefix(SAMPLED_PREFIX), alternating=alternating)
    except UnknownNameError:
        known = ("auto", "cs-cfr", *CONFIGS, *(SAMPLED_PREFIX + member for member in CONFIGS))
        raise UnknownNameError.among("algorithm", text, known) from None
    if spec.family is None:
        raise UsageError(
            f"On a public tree {spec.name} is not to be had; choose one of"
            f" {', '.join(CONFIGS)}, with {SAMPLED_PREFIX} before it to sample the hands."
        )
    return spec.family, sampled


def solve_public(
    game: Game | PublicGame,
    *,
    algorithm: str = "auto",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    alternating: bool | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: str | Path | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> SolveResult[PublicStrategy]:
    """Solve `game` up to one limit: a total of iterations, an exploitability, or seconds.

    Without a limit it stops at an exploitability of 1e-6, or after 100,000 iterations (sampling:
    after a million). `checkpoint` is a file that is renewed every `checkpoint_seconds` and at the
    end; `resume` is such a file, or any saved result, to go on from.
    """
    limit = Limit.one_of(iterations, target, seconds)
    config, sampled = public_algorithm(algorithm, alternating=alternating)
    automatic = algorithm.strip().lower() == "auto"
    if checkpoint is not None:
        check_writable(checkpoint)
    load_kernels()
    began = time.perf_counter()
    if resume is None:
        public = game if isinstance(game, PublicGame) else public_game(game)
        solver = PublicCFRSolver(
            public, config, sampled=sampled, seed=seed, threads=threads, memory_limit=memory_limit
        )
        reason = "the quickest on public trees" if automatic else "asked for"
    else:
        rules = game.game if isinstance(game, PublicGame) else game
        solver = PublicCFRSolver.load(
            resume, game=rules, threads=threads, memory_limit=memory_limit
        )
        asked = None if automatic else SAMPLED_PREFIX * sampled + config_text(config)
        check_resume(resume, solver, asked, limit)
        reason = "resumed"
    facts = {
        "nodes": solver.public.shapes.num_public_nodes,
        "infosets": solver.public.shapes.num_infosets,
        "build_seconds": time.perf_counter() - began,
    }
    house_sum = getattr(solver.public.game, "house_sum", None)
    frame = Frame(limit, progress, checkpoint, checkpoint_seconds, facts, house_sum)
    return frame.iterate(solver, reason)
