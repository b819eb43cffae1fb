"""`riverboat acpc` as a user runs it: dealer and players as processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from riverboat.cli.main import run
from riverboat.holdem.acpc.definitions import PRESETS, load_game
from riverboat.holdem.histories.phh import read_phhs
from waiting import PATIENCE

pytestmark = pytest.mark.e2e

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
        results = [json.loads(player.communicate(timeout=PATIENCE)[0]) for player in players]
        score = output.read().strip()
    assert dealer.returncode == 0
    totals = [float(total) for total in score.split(":")[1].split("|")]
    assert score.endswith(":anna|bob")
    assert [result["chips"] for result in results] == totals
    assert sum(totals) == 0
    assert log.read_text().splitlines()[-1] == score
    played = read_phhs(phh.read_text())
    assert sum(h.returns()[h.fields["players"].index("anna")] for h in played) == totals[0]


def test_the_command_line_of_the_competitions_dealer(tmp_path: Path) -> None:
    words = ["m", "kuhn.limit.3p.game", "20", "3", "anna", "bob", "cleo", "--t_response", "90000"]
    dealer = subprocess.Popen(
        [*COMMAND, "dealer", *words, "-p", "0,0", "--host", "127.0.0.1", "--start_timeout=240000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert dealer.stdout is not None
    ports = dealer.stdout.readline().split()
    player = [*COMMAND, "player", "127.0.0.1"]
    players = [
        subprocess.Popen(
            [*player, port, "--game=kuhn-3p", "--player=holdem:call"], stdout=subprocess.DEVNULL
        )
        for port in ports
    ]
    score, messages = dealer.communicate(timeout=PATIENCE)
    assert dealer.returncode == 0
    assert [process.wait(timeout=PATIENCE) for process in players] == [0, 0, 0]
    log = (tmp_path / "m.log").read_text().splitlines()
    head = ["# name/game/hands/seed m kuhn.limit.3p.game 20 3", "#--t_response 90000"]
    assert log[:4] == [*head, "#--t_hand 600000", "#--t_per_hand 7000"]
    assert log[-1] == score.strip()
    lines = messages.splitlines()
    assert lines[:4] == log[:4]
    assert lines[4].startswith("TO 1 at ")
    assert sum(line.startswith("FROM ") for line in lines) == 60
    assert sum(line.startswith("TO ") for line in lines) == 20 * 4 * 3
    assert lines[-1] == log[-1]


def test_a_definition_for_other_peoples_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run(["acpc", "game", "limit-3p"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert "blind = 5 10 0\n" in text
    assert "firstPlayer = 3 1 1 1\n" in text
    (tmp_path / "mine.game").write_text(text)
    assert load_game(str(tmp_path / "mine.game")).betting_rules == PRESETS["limit-3p"].betting_rules


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["dealer", "--game", "nolimit-2"], "did you mean"),
        (["dealer", "--port", "x"], "--port"),
        (["dealer", "--port", "1,2,3"], "2 ports"),
        (["dealer", "--names", "a"], "2 different names"),
        (["dealer", "m", "nolimit-2p", "10", "1", "anna"], "2 different names"),
        (["dealer", "m", "nolimit-2p", "ten", "1", "anna", "bob"], "NAME GAME HANDS SEED"),
        (["dealer", "m", "nolimit-2p"], "NAME GAME HANDS SEED"),
        (["dealer", "--timeout", "0"], "above 0 seconds"),
        (["dealer", "--t_hand", "0"], "above 0 seconds"),
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
