"""The set-up of every command: output that cannot fail, and a line that says when kernels compile.

A character that the encoding does not have is written in ASCII (`-` for a line, `#` for a bar), a
byte of a file name that is not UTF-8 as `\\xe9`. A full disk or a closed pipe ends in a sentence.
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
import unicodedata

from riverboat.runtime.compiling import call_when_compiling

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
    place = number % BAR_CELLS
    return f"{'-' * place}#{'-' * (BAR_CELLS - 1 - place)} kernel {number}"


_ASCII = {
    pair[0]: pair[1:]
    for pair in (  # noqa: SIM905
        "−- –- —- ‐- ‘' ’' “\" ”\" …... ·. •* ×x ÷/ ±+- ≈~ ≠!= ≤<= ≥>= ∞inf √sqrt →> ←< ↑^ ↓v ▶> "
        "◀< ▲^ ▼v ●* ○o ✓+ ✗x ♠s ♥h ♦d ♣c ░. ▒: ▓# αalpha βbeta γgamma εeps μmu σsigma µu ΔD ΣS "
        "↔<> §S øo "
    ).split()
}
"""Characters and what stands for them in ASCII."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def plain(character: str) -> str:
    """A character in ASCII."""
    code = ord(character)
    if character in _ASCII:
        return _ASCII[character]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0x2500 <= code < 0x2580:  # box drawing
        return _box(unicodedata.name(character))
    if 0x2580 <= code < 0x25A0:  # blocks, by how much of the cell they fill
        return " " if "ONE EIGHTH" in unicodedata.name(character) else "#"
    if 0x2800 <= code < 0x2900:  # braille, as spinners and plots use it
        return "*" if code > 0x2800 else " "
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"


def _box(name: str) -> str:
    across = "HORIZONTAL" in name or "LEFT" in name or "RIGHT" in name
    along = "VERTICAL" in name or "UP" in name or "DOWN" in name
    return "+" if across and along else "-" if across else "|"


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain, error.object[error.start : error.end])), error.end


def make_output_safe() -> None:
    """Prepare standard output and standard error for whatever is printed.

    A standard input that the caller closed (`riverboat … <&-`) is one without a line in it.
    """
    codecs.register_error("riverboat", _in_ascii)
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
