"""`riverboat twentyone player`: sit at a dealer's table over TCP, to play or to learn."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np

from riverboat.cli.console import emit, exit_if_stopped, screen
from riverboat.cli.groups import App
from riverboat.cli.options import (
    JsonFlag,
    argument,
    check_places,
    count_argument,
    count_option,
    number_option,
    option,
    seed_option,
)
from riverboat.errors import ParameterError, UsageError
from riverboat.solvers.run import Autosave
from riverboat.twentyone.game import Result
from riverboat.twentyone.learning.players import seat_greedy, seat_learner, seat_named
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, connect, play

app = App()

YEAR = 31_536_000.0


@app.command("player")
def player(
    name: Annotated[str, argument("Your name at the table.")],
    host: Annotated[str, argument("The dealer's address.")],
    port: Annotated[int, count_argument("PORT", "The dealer's port.", min=1, max=65535)],
    train: Annotated[
        int, count_option("--train", "Train alone for this many games before joining.")
    ] = 0,
    q: Annotated[
        str | None, option("Q table to play from, and to save to when it has learned.")
    ] = None,
    mode: Annotated[str, option("play: greedily; train: learn at the table.")] = "play",
    method: Annotated[
        str | None,
        option("How to learn: on-policy (default), or literal: act at random and average."),
    ] = None,
    spec: Annotated[
        str | None,
        option("--bot", "--player", "Who plays: basic, random, mcts?ms=200 …", metavar="SPEC"),
    ] = None,
    token: Annotated[
        str, option("A secret word; with it you take your place in a tournament again.")
    ] = "",
    seed: Annotated[int, seed_option("Seed of training and of exploring.")] = 0,
    wait: Annotated[
        float, number_option("--wait", "Seconds to wait for a dealer that does not listen yet.")
    ] = 5.0,
    patience: Annotated[
        float, number_option("--patience", "Seconds of silence to give up after.")
    ] = 600.0,
    json_output: JsonFlag = False,
) -> None:
    """Play twenty-one at a dealer's table over TCP.

    What is learned is saved every few seconds and at the end, however that comes.

    \b
    Example:
    riverboat twentyone player anna 127.0.0.1 7000 --q anna.rb --mode train
    """
    from riverboat.twentyone.learning.online import save_learned, table_to_learn

    learning = mode == "train" or train > 0
    _check(name, mode, train, seed, patience, wait)
    if spec is not None and (q is not None or learning):
        raise UsageError("--bot plays by itself; leave out --q, --train and --mode train.")
    if method is not None and not learning:
        raise UsageError("--method is about learning; add --mode train or --train.")
    if mode == "train" and q is None:
        raise UsageError("--mode train needs a file to learn into; name one with --q.")
    rng, table = np.random.default_rng(seed), None
    if learning:
        check_places(q)
        table = table_to_learn(q, games=train, method=method, seed=seed)
    elif q is not None:
        table = QTable.load(q)
    if table is None:
        seated = seat_named(spec or "basic", rng, name)
    elif mode == "train":
        seated = seat_learner(name, table, rng, method)
    else:
        seated = seat_greedy(name, table, rng)
    session = PlayerSession(seated, token)
    session.opening()  # Refuses a bad token before connecting.
    seated.warm_up()

    def save() -> None:
        if table is not None and q is not None and learning:
            save_learned(table, q, session.games if mode == "train" else 0, method)

    autosave = Autosave(lambda _: save(), q) if q is not None and mode == "train" else None
    try:
        with _playing(quiet=json_output) as show:

            def progress(session: PlayerSession) -> None:
                if autosave is not None and session.games:
                    autosave.beat()
                if show is not None:
                    show(session)

            play(connect(host, port, wait), session, ClientOptions(patience=patience), progress)
    except KeyboardInterrupt:
        session.hang_up("stopped")
    finally:
        save()
    emit(session.as_dict()) if json_output else _show_session(session, q if learning else None)
    exit_if_stopped(session.ended == "stopped")


def _check(name: str, mode: str, train: int, seed: int, patience: float, wait: float) -> None:
    """Refuse what cannot be."""
    if mode not in ("play", "train"):
        raise UsageError(f"--mode is play or train, not {mode!r}.")
    if not name.strip():
        raise UsageError("A player needs a name.")
    if train < 0 or seed < 0:
        raise ParameterError("--train and --seed must not be negative.")
    if not 0 < patience <= YEAR or not 0 <= wait <= YEAR:
        raise ParameterError("--patience and --wait are seconds: more than 0, and 0 or more.")


@contextlib.contextmanager
def _playing(*, quiet: bool) -> Iterator[Callable[[PlayerSession], None] | None]:
    """The score so far, on the terminal."""
    console, shown = screen(quiet=quiet), 0.0
    if console is None:
        yield None
        return
    with console.status("Waiting for the dealer …") as status:

        def show(session: PlayerSession) -> None:
            nonlocal shown
            now = time.monotonic()
            if session.games and now - shown > 0.2:
                shown = now
                status.update(f"{session.games:,} games, score {session.score:+,}")

        yield show


def _show_session(session: PlayerSession, saved: str | None) -> None:
    tally, games = session.tally, session.games
    lost = tally[Result.LOSE] + tally[Result.BUST]
    print(f"{session.seated.name}: {games:,} games, {session.ended}.")
    if games:
        share = f"{tally[Result.WIN] / games:.1%}"
        print(
            f"  won {tally[Result.WIN]:,} ({share}), pushed {tally[Result.PUSH]:,}, lost {lost:,}"
            f" ({tally[Result.BUST]:,} by a bust); score {session.score:+,}"
        )
    if session.unknown:
        print(f"  {session.unknown:,} messages were not understood and passed over")
    if session.seated.trouble:
        print(f"  the player failed and drew like the dealer instead: {session.seated.trouble}")
    if saved:
        print(f"  table saved to {saved}")
