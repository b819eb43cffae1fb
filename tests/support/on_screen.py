"""A command on a screen: its standard error is a terminal of its own that somebody reads."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

from commands import usual_signals
from waiting import PATIENCE, wait_until


class OnScreen:
    """`with OnScreen("solve", "leduc", folder=here) as run:`; at the end of it nothing runs on.

    The screen is read all the time: a terminal that nobody reads is full after 4,096 letters, and
    then a progress bar holds up the command.
    """

    def __init__(self, *arguments: str, folder: Path, **environment: str) -> None:
        self.screen, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "riverboat", *arguments],
            stdout=subprocess.PIPE,
            stderr=terminal,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=usual_signals,
        )
        os.close(terminal)
        self.seen = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                self.seen += os.read(self.screen, 4096).decode(errors="replace")
            except OSError:  # so a terminal ends on Linux
                return

    def __enter__(self) -> OnScreen:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)
        self._reader.join(PATIENCE)
        os.close(self.screen)

    def wait_for(self, words: str) -> None:
        """Until the screen shows `words`."""

        def shown() -> bool:
            ended = self.process.poll() is not None
            assert words in self.seen or not ended, f"ended before {words!r}: {self.seen}"
            return words in self.seen

        wait_until(shown, what=words)

    def rest(self) -> tuple[int, str]:
        """The exit code and standard output of the command when it has ended."""
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out
