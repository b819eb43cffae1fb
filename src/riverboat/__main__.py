"""`python -m riverboat` is the riverboat command."""

from __future__ import annotations

import signal
import threading


def main() -> None:
    """Run the command; Ctrl-C before it has begun ends the process without a traceback."""
    held = None
    if threading.current_thread() is threading.main_thread():
        held = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from riverboat.cli.main import run

    if held is not None:
        signal.signal(signal.SIGINT, held)
    run()


if __name__ == "__main__":
    main()
