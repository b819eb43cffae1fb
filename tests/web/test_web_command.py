"""`riverboat web` at the command line."""

import pytest

pytest.importorskip("fastapi")

from commands import Command


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
def test_without_a_class_only_this_machine_may_come_in(command: Command, host):
    answer = command("web", "--host", host, "--no-open")
    assert answer.code == 2
    assert "Without --class" in answer.err


def test_a_port_that_is_taken_is_said_in_a_sentence(command: Command, server, tmp_path):
    port = server.address.rpartition(":")[2]
    answer = command("web", "--port", port, "--no-open", "--folder", str(tmp_path))
    assert answer.code == 2
    assert "Cannot listen" in answer.err
    assert "Traceback" not in answer.err
