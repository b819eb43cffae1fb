"""A killed server takes its working processes with it."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

PROGRAM = """
    import multiprocessing, signal
    from riverboat.web.background import end_with_server

    def work():
        end_with_server()
        while True:
            signal.pause()

    if __name__ == "__main__":
        child = multiprocessing.get_context("spawn").Process(target=work, daemon=True)
        child.start()
        print(child.pid, flush=True)
        child.join()
"""


def test_work_ends_with_a_server_that_was_killed(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(textwrap.dedent(PROGRAM))
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        worker = int(server.stdout.readline())
        os.kill(worker, 0)  # it is there
        server.kill()
        server.wait()
        # The worker holds the other end of this pipe: it ends when the worker does.
        server.stderr.read()
