"""`riverboat upi`: the spot solver behind PioSOLVER's text protocol."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence

from riverboat.cli.groups import App
from riverboat.cli.options import Threads
from riverboat.holdem.upi.session import BANNER, UpiSession

app = App()


@app.command("upi")
def upi(threads: Threads = 1) -> None:
    """Speak UPI, PioSOLVER's text protocol, on standard input and output.

    Scripts written for that solver set up a tree, solve it and read it: set_range, set_board,
    add_line, build_tree, go, show_strategy, calc_ev and more (docs/upi.md). What is not understood
    is answered with a line that begins with ERROR.

    \b
    Example:
    riverboat upi --threads 2
    """
    lock = threading.Lock()

    def send(lines: Sequence[str]) -> None:
        with lock:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
            sys.stdout.flush()

    session = UpiSession(send)
    session.threads = threads
    send(BANNER)
    try:
        for line in sys.stdin:
            answer = session.answer(line)
            if answer:
                send(answer)
            session.begin()
            if session.over:
                return
        if session.runner.running and not session.runner.endless:
            session.runner.wait()
    finally:
        session.close()
