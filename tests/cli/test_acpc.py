"""`riverboat acpc` as a user runs it: dealer and players as processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from riverboat.cli.main import run
from riverboat.interop.phh import read_phhs

COMMAND = [sys.executable, "-m", "riverboat", "acpc"]


def test_a_match_between_processes(tmp_path: Path) -> None:
    log, phh = tmp_path / "match.log", tmp_path / "match.phhs"
    dealer = subprocess.Popen(
        [*COMMAND, "dealer", "--hands=20", "--names=anna,bob", f"--log={log}", f"--phh={phh}"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert dealer.stdout is not None
    with dealer, dealer.stdout as output:
        ports = output.readline().split()
        players = [
            subprocess.Popen(
                [*COMMAND, "player", "127.0.0.1", port, "--player", style, "--json"],
                stdout=subprocess.PIPE,
                text=True,
            )
            for port, style in zip(ports, ("holdem:rules", "holdem:call"), strict=True)
        ]
        results = [json.loads(player.communicate(timeout=60)[0]) for player in players]
        score = output.read().strip()
    assert dealer.returncode == 0
    totals = [float(total) for total in score.split(":")[1].split("|")]
    assert score.endswith(":anna|bob")
    assert [result["chips"] for result in results] == totals
    assert sum(totals) == 0
    assert log.read_text().splitlines()[-1] == score
    played = read_phhs(phh.read_text())
    assert sum(h.returns()[h.fields["players"].index("anna")] for h in played) == totals[0]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["dealer", "--game", "nolimit-2"], "did you mean"),
        (["dealer", "--port", "x"], "--port"),
        (["dealer", "--port", "1,2,3"], "2 ports"),
        (["dealer", "--names", "a"], "2 different names"),
        (["dealer", "--game", "leduc", "--phh", "x.phhs"], "52 cards"),
        (["dealer", "--hands", "0"], "at least one hand"),
        (["dealer", "--log", "/no/such/place/x.log"], "does not exist"),
        (["player", "127.0.0.1", "1", "--player", "holdem:nobody"], "nobody"),
        (["player", "127.0.0.1", "1"], "Cannot reach"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run(["acpc", *arguments])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert word in message
    assert message.count("\n") == 1
