"""The set-up of every command: output that cannot fail, and a line that says when kernels compile.

A full disk or a closed pipe ends in a sentence.
"""

from __future__ import annotations

import _thread
import codecs
import errno
import io
import os
import signal
import sys
import threading

from riverboat.cli.ascii_text import in_ascii
from riverboat.runtime.compiling import call_when_compiling

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
NOTICE = "compiling, once on this machine; some seconds, and later runs start at once"
BAR_CELLS, BAR_WIDTH = 24, 40


def announce_compiling() -> None:
    """Say on a screen that kernels are compiled, with a bar that moves with every one of them."""
    if not sys.stderr.isatty():
        return
    started, under_way = 0, 0

    def start() -> None:
        nonlocal started, under_way
        if started == 0:
            print(NOTICE, file=sys.stderr, flush=True)
        started += 1
        under_way += 1  # kernels compile others on the way
        _draw(_moving_bar(started))

    def end() -> None:
        nonlocal under_way
        under_way -= 1
        if under_way == 0:
            _draw("")

    call_when_compiling(start, end)


def _draw(line: str) -> None:
    if isinstance(sys.stderr, io.TextIOWrapper):  # else a bar of the command has the screen
        print("\r" + line.ljust(BAR_WIDTH), end="\r", file=sys.stderr, flush=True)


def _moving_bar(number: int) -> str:
    """How many there will be is not known beforehand."""
    position = number % BAR_CELLS
    return f"{'-' * position}#{'-' * (BAR_CELLS - 1 - position)} kernel {number}"


def make_output_safe() -> None:
    """Prepare standard output and standard error for whatever is printed.

    A standard input that the caller closed (`riverboat … <&-`) is one without a line in it.
    """
    codecs.register_error("riverboat", in_ascii)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller: `riverboat … >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="riverboat")


def is_full(error: OSError) -> bool:
    """Whether an error means that what was written found no room."""
    return error.errno in _FULL


def drop_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter can end in peace."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            try:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
            except (OSError, ValueError):  # no real file behind it
                continue


def keep_interrupts() -> None:
    """Let no Ctrl-C be lost where Python ignores exceptions, nor show a traceback there.

    Such places are a callback of compiled code, `__del__`, and a callback of the garbage collector.
    The hook is one itself, so that the interrupt is sent again from a thread, a moment later.
    Without it about 1 in 50 interrupts on a busy machine was lost, and the command ran on.
    """
    usual = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            threading.Timer(0.01, _interrupt_again).start()
        else:
            usual(unraisable)

    sys.unraisablehook = hook


def _interrupt_again() -> None:
    """Interrupt the main thread by a signal that is not ignored (nohup ignores SIGINT)."""
    number = signal.SIGINT if callable(signal.getsignal(signal.SIGINT)) else signal.SIGTERM
    _thread.interrupt_main(number)
