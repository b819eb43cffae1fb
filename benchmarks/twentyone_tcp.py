"""Twenty-one over TCP on loopback: speed with one and six players, and a load of many tables.

The peer is the wire as the old programs keep it: a pause of 26 ms after every message. Dealer and
players run in processes of their own. The load opens six connections a table from one process,
plays all tables at once, checks that no game was lost, and prints the dealer's memory on the way.

    python benchmarks/twentyone_tcp.py                                 half a minute
    python benchmarks/twentyone_tcp.py --tables 100 --rounds 10000     a million rounds
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import selectors
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from riverboat.players.player import View
from riverboat.twentyone.game import HIT, STAND, points
from riverboat.twentyone.learning.players import SeatedPlayer
from riverboat.twentyone.wire.client import PlayerSession, connect, play
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import Dealer, DealerOptions


class Threshold:
    """Hits below 16, a fair guess at how many decisions a game takes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, view: View, rng: np.random.Generator) -> str:
        return HIT if points(view.infoset.partition("|")[0]) < 16 else STAND


def seated(name: str) -> SeatedPlayer:
    return SeatedPlayer(Threshold(name), np.random.default_rng(0))


def one_player(port: int, name: str) -> None:
    play(connect("127.0.0.1", port, 10), PlayerSession(seated(name)))


def many_players(port: int, count: int, report: Connection) -> None:
    """All connections in one process, so that 600 of them need no 600 processes."""
    selector = selectors.DefaultSelector()
    sessions = []
    for number in range(count):
        session = PlayerSession(seated(f"p{number}"))
        sock = connect("127.0.0.1", port, 10)
        sock.sendall(session.opening())
        selector.register(sock, selectors.EVENT_READ, session)
        sessions.append(session)
    while selector.get_map():
        for key, _ in selector.select():
            sock, session = key.fileobj, key.data
            data = sock.recv(65_536)
            if data and (answer := session.receive(data)):
                sock.sendall(answer)
            if not data or session.ended:
                selector.unregister(sock)
                sock.close()
    report.send([session.games for session in sessions])


def table_speed(players: int, games: int, pace: float) -> float:
    """Rounds a second at one table, each player a process."""
    options = HostOptions(pace=pace)
    dealer = Dealer(DealerOptions(players=players, games=games, seed=1, host=options))
    port = dealer.listen()
    processes = [
        multiprocessing.Process(target=one_player, args=(port, f"p{n}")) for n in range(players)
    ]
    for process in processes:
        process.start()
    while not dealer.started:
        dealer.poll(0.1)
    start = time.perf_counter()
    while dealer.host.runs:
        dealer.poll(0.1)
    wall = time.perf_counter() - start
    dealer.run()
    for process in processes:
        process.join()
    return games / wall


def memory() -> float:
    """Memory of this process in MiB, now where the system reports it, otherwise at its peak."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def load(tables: int, rounds: int) -> None:
    options = HostOptions(pace=0.0)
    dealer = Dealer(DealerOptions(players=6, games=rounds, seed=2, tables=tables, host=options))
    port = dealer.listen()
    ours, theirs = multiprocessing.Pipe()
    clients = multiprocessing.Process(target=many_players, args=(port, 6 * tables, theirs))
    clients.start()
    total, marks, start = tables * rounds, iter(range(1, 11)), time.perf_counter()
    mark = next(marks)
    while not dealer.finished:
        dealer.poll(0.1)
        while mark is not None and dealer.rounds >= total * mark / 10:
            print(f"  {dealer.rounds:>10,} rounds   {memory():7.1f} MiB")
            mark = next(marks, None)
    wall = time.perf_counter() - start
    heard = ours.recv()
    clients.join()
    dealer.close()
    lost = sum(rounds - seat.games for seat in dealer.results())
    lost += sum(rounds - games for games in heard)
    folded = sum(bool(seat.folded) for seat in dealer.results())
    print(
        f"{tables} tables at once, {6 * tables} connections: {total / wall:,.0f} rounds/s,"
        f" {lost} games lost, {folded} players folded out"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=20_000, help="games of one player")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=200, help="rounds at each of the tables")
    chosen = parser.parse_args()
    seated("warm").warm_up()
    paced = table_speed(1, 12, 0.026)
    print(f"one player, 26 ms pause       {paced:10.1f} games/s   (as the old programs)")
    fast = table_speed(1, chosen.games, 0.0)
    print(f"one player, no pause          {fast:10,.0f} games/s   {fast / paced:,.0f} times")
    paced = table_speed(6, 4, 0.026)
    print(f"six players, 26 ms pause      {paced:10.1f} rounds/s")
    fast = table_speed(6, chosen.games // 4, 0.0)
    print(f"six players, no pause         {fast:10,.0f} rounds/s  {fast / paced:,.0f} times")
    load(chosen.tables, chosen.rounds)


if __name__ == "__main__":
    main()
