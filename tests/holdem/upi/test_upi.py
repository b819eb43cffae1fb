"""UPI: a transcript, laws that the figures keep, and whatever else may be typed."""

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import Command
from riverboat.cards.equity import range_equities
from riverboat.cards.ranges import Range, format_range, pio_hands
from riverboat.holdem.upi._setup import line_of
from riverboat.holdem.upi.session import BANNER, COMMANDS, UpiSession
from waiting import PATIENCE

OOP, IP = "AA,KK,QJs,T9s,55,KTs", "QQ,88,QJs,AK,AQ,TT,T9s,JTs"
SETUP = f"""\
set_board QsJh2h8d
set_pot 0 0 60
set_eff_stack 90
set_range OOP {OOP}
set_range IP {IP}
set_isomorphism 1 0
clear_lines
add_line 30 90 90
add_line 0 45 90 90
add_line 0 0 45 90
add_line 30 30 90 90
build_tree
"""


@pytest.fixture(scope="module")
def solved() -> UpiSession:
    session = UpiSession()
    for line in [*SETUP.splitlines(), "go 150 steps", "wait_for_solver"]:
        answer = session.answer(line)
        assert answer is not None
        assert answer[0].endswith("ok!"), answer
    return session


def ask(session: UpiSession, line: str) -> list[str]:
    answer = session.answer(line)
    assert answer is not None
    return answer


def numbers(line: str) -> np.ndarray:  # type: ignore[type-arg]
    found = np.array([float(word) for word in line.split()])
    assert found.shape == (1326,)
    return found


def test_a_transcript(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a script sends and what comes back, line by line; figures are compared below."""
    script = "\n".join(
        [
            "# a remark",
            "",
            "is_ready",
            "set_end_string END",
            "set_board QsJh2h8d3c",
            "set_pot 0 0 60",
            "set_eff_stack 60",
            "set_range OOP AA",
            "set_range IP KK",
            "add_line 60 60",
            "build_tree",
            "go 2000 steps",
            "wait_for_solver",
            "show_node r:0",
            "show_children r:0:c",
            "calc_ev OOP r:0:b60:f",
            "no_such_thing 1 2",
            "show_node r:0:b17",
            "exit",
            "is_ready",
        ]
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(script))
    answer = command("upi")
    assert answer.code == 0
    assert answer.out.startswith("\n".join(BANNER))
    lines = answer.out.splitlines()[len(BANNER) :]
    assert lines[:3] == ["is_ready ok!", "set_end_string ok!", "END"]
    assert lines[3:15:2] == [
        *("set_board ok!", "set_pot ok!", "set_eff_stack ok!", "set_range ok!"),
        *("set_range ok!", "add_line ok!"),
    ]
    after = lines[lines.index("build_tree ok!") :]
    assert after[:5] == ["build_tree ok!", "END", "go ok!", "END", "SOLVER: started"]
    assert after[5] == "SOLVER:"
    # Aces beat kings on this board, so that the pot of 60 is theirs.
    assert float(after[7].removeprefix("EV OOP: ")) == pytest.approx(60.0, abs=0.05)
    assert float(after[8].removeprefix("EV IP: ")) == pytest.approx(0.0, abs=0.05)
    assert after[12:16] == ["END", "SOLVER: stopped (limit reached)", "wait_for_solver ok!", "END"]
    node = ["OOP_DEC", "Qs Jh 2h 8d 3c", "0 0 60", "2 children", "flags: PIO_ALG", "END"]
    assert after[16:23] == ["r:0", *node]
    assert after[23:31] == [
        *("child 0:", "r:0:c:c", "END_NODE", "Qs Jh 2h 8d 3c", "0 0 60", "0 children"),
        *("flags: PIO_ALG", "END"),
    ]
    evs = numbers(after[31])
    assert evs[pio_hands().index("AsAh")] == pytest.approx(60.0)  # IP folds: the pot is won
    assert np.isnan(evs[pio_hands().index("KsKh")])
    assert after[33] == "END"
    assert after[34].startswith("ERROR: unknown command 'no_such_thing'")
    assert after[36].startswith("ERROR: There is no action 'b17' here")
    assert after[-1] == "END"


def test_a_nodes_ev_is_the_mean_of_its_childrens(solved: UpiSession) -> None:
    """As PioSOLVER counts: from the tree's beginning, whatever was put in since."""
    for node in ("r:0", "r:0:b30", "r:0:b30:b90", "r:0:c:c:5c"):
        player = {"OOP_DEC": "OOP", "IP_DEC": "IP"}[ask(solved, f"show_node {node}")[1]]
        whole = numbers(ask(solved, f"calc_ev {player} {node}")[0])
        rows = ask(solved, f"show_strategy {node}")
        children = [line for line in ask(solved, f"show_children {node}") if line.startswith("r:0")]
        assert len(rows) == len(children) > 1
        total = np.zeros(1326)
        for row, child in zip(rows, children, strict=True):
            total += numbers(row) * np.nan_to_num(
                numbers(ask(solved, f"calc_ev {player} {child}")[0])
            )
        here = ~np.isnan(whole)
        assert here.any()
        assert np.abs(total - whole)[here].max() < 2e-3


def test_folding_costs_what_was_put_in(solved: UpiSession) -> None:
    evs = numbers(ask(solved, "calc_ev OOP r:0:b30:b90:f")[0])
    assert np.nanmax(np.abs(evs + 30)) < 1e-4


def test_evs_of_both_add_up_to_the_pot(solved: UpiSession) -> None:
    for node in ("r:0", "r:0:c", "r:0:b30:c"):
        total = 0.0
        for player in ("OOP", "IP"):
            evs, weights = map(numbers, ask(solved, f"calc_ev {player} {node}"))
            total += float(np.nansum(evs * weights) / weights.sum())
        assert total == pytest.approx(60.0, abs=1e-3)
    results = ask(solved, "calc_results")
    assert sum(float(line.split()[-1]) for line in results[1:3]) == pytest.approx(60.0, abs=2e-3)


def test_ranges_and_frequencies_follow_the_strategy(solved: UpiSession) -> None:
    (root,) = ask(solved, "show_range OOP r:0")
    assert (numbers(root) > 0).sum() == sum(
        not {"QsJh2h8d"[i : i + 2] for i in range(0, 8, 2)} & {hand[:2], hand[2:]}
        for hand in np.array(pio_hands())[numbers(ask(solved, "show_range OOP")[0]) > 0]
    )
    rows = [numbers(row) for row in ask(solved, "show_strategy r:0")]
    bet = numbers(ask(solved, "show_range OOP r:0:b30")[0])
    assert np.abs(bet - rows[0] * numbers(root)).max() < 1e-6
    frequencies = [float(ask(solved, f"calc_global_freq r:0:{a}")[0]) for a in ("b30", "c")]
    assert sum(frequencies) == pytest.approx(1.0, abs=1e-5)
    rivers = [line for line in ask(solved, "show_children r:0:c:c") if line.startswith("r:0")]
    assert len(rivers) == 48
    dealt = [float(ask(solved, f"calc_global_freq {river}")[0]) for river in rivers]
    here = float(ask(solved, "calc_global_freq r:0:c:c")[0])
    assert sum(dealt) == pytest.approx(here, abs=1e-4)


def test_equities_are_those_of_the_card_engine(solved: UpiSession) -> None:
    from riverboat.cards.card import parse_cards
    from riverboat.cards.ranges import pio_order

    board = parse_cards("QsJh2h8d")
    mine, theirs = Range.parse(OOP).without(board), Range.parse(IP).without(board)
    wanted = range_equities(mine, theirs, board).equities[0][pio_order()]
    for line in ("calc_eq OOP", "calc_eq_node OOP r:0"):
        found = numbers(ask(solved, line)[0])
        here = ~np.isnan(found)
        assert here.sum() == (mine.weights > 0).sum()
        assert np.abs(found - wanted)[here].max() < 1e-6


def test_files_and_scripts(solved: UpiSession, tmp_path: Path) -> None:
    path = tmp_path / "with blank.rb"
    assert ask(solved, f'dump_tree "{path}" full') == ["dump_tree ok!"]
    other = UpiSession()
    assert ask(other, f'load_tree "{path}"') == ["load_tree ok!"]
    assert ask(other, "show_effective_stack") == ["90"]
    for line in ("show_strategy r:0", "calc_ev IP r:0:c", "show_range IP r:0:b30"):
        assert ask(other, line) == ask(solved, line)
    small = tmp_path / "small.rb"
    assert ask(solved, f"dump_tree {small} no_rivers") == ["dump_tree ok!"]
    assert ask(other, f"load_tree {small}") == ["load_tree ok!"]
    assert ask(other, "show_strategy r:0") == ask(solved, "show_strategy r:0")
    script = tmp_path / "script.txt"
    script.write_text(SETUP)
    third = UpiSession()
    assert ask(third, "is_tree_present") == ["false"]
    assert ask(third, f'load_script_silent "{script}"') == ["load_script_silent ok!"]
    assert ask(third, "is_tree_present") == ["true"]
    theirs = tmp_path / "theirs.cfr"
    theirs.write_bytes(b"not ours")
    assert "PioSOLVER's own files cannot be read" in ask(third, f"load_tree {theirs}")[0]


@pytest.mark.parametrize("kind", ["full", "no_rivers"])
def test_a_tree_is_loaded_from_the_name_it_was_dumped_to(
    solved: UpiSession, tmp_path: Path, kind: str
) -> None:
    path, other = tmp_path / "tree.cfr", UpiSession()
    assert ask(solved, f"dump_tree {path} {kind}") == ["dump_tree ok!"]
    assert ask(other, f"load_tree {path}") == ["load_tree ok!"]
    assert ask(other, "show_strategy r:0") == ask(solved, "show_strategy r:0")
    size = float(ask(other, "estimate_rebuild_forgotten_streets")[0].split()[2])
    assert (size > 0) == (kind == "no_rivers")


def rows(session: UpiSession, node: str) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([numbers(line) for line in ask(session, f"show_strategy {node}")])


def test_a_locked_node_keeps_its_strategy() -> None:
    """What a client does: read, change, set, lock, solve on, unlock."""
    session = UpiSession()
    for line in [*SETUP.splitlines(), "go 100 steps", "wait_for_solver"]:
        ask(session, line)
    free = rows(session, "r:0")
    evs = [float(line.split()[-1]) for line in ask(session, "calc_results")[1:3]]
    checks = np.array([np.zeros(1326), np.ones(1326)])
    words = " ".join(f"{number:g}" for number in checks.ravel())
    assert ask(session, f"set_strategy r:0 {words}") == ["set_strategy ok!"]
    held = free.sum(axis=0) > 0
    assert (rows(session, "r:0")[:, held] == checks[:, held]).all()
    assert ask(session, "calc_line_freq r:0:c") == ["1.000000"]
    assert ask(session, "lock_node r:0") == ["lock_node ok!"]
    for line in ("go 200 steps", "wait_for_solver"):
        ask(session, line)
    assert (rows(session, "r:0")[:, held] == checks[:, held]).all()
    locked = [float(line.split()[-1]) for line in ask(session, "calc_results")[1:3]]
    assert locked[0] < evs[0] - 0.1  # who may not bet wins less
    assert ask(session, "unlock_node r:0") == ["unlock_node ok!"]
    for line in ("go 400 steps", "wait_for_solver", "solve_partial r:0:c"):
        ask(session, line)
    again = [float(line.split()[-1]) for line in ask(session, "calc_results")[1:3]]
    assert again == pytest.approx(evs, abs=0.1)
    assert ask(session, "set_strategy r:0 1 2 3")[0].startswith("ERROR: set_strategy takes 2 ×")
    assert ask(session, "lock_node r:0:b30:f")[0].startswith("ERROR: Nobody acts")


def test_lines_of_a_tree(solved: UpiSession) -> None:
    """A line's frequency is that of its nodes, summed over the cards."""
    lines = ask(solved, "show_all_lines")
    assert lines[:4] == ["r", "r:0", "r:0:c", "r:0:c:c"]
    assert len(set(lines)) == len(lines)
    assert "r:0:b30:c:b90:f" in lines
    cards = [word.split(":")[-1] for word in ask(solved, "show_children r:0:b30:c")[1::8]]
    assert len(cards) == 48
    parts = [float(ask(solved, f"calc_global_freq r:0:b30:c:{card}:b90")[0]) for card in cards]
    whole = float(ask(solved, "calc_line_freq r:0:b30:c:b90")[0])
    assert whole == pytest.approx(sum(parts), abs=1e-5)
    assert ask(solved, "calc_line_freq r:0:b30:c:3s:b90") == [f"{whole:.6f}"]


def test_a_line_is_removed_again() -> None:
    session = UpiSession()
    for line in SETUP.splitlines()[:8]:
        ask(session, line)
    assert ask(session, "remove_line 30 90 90") == ["remove_line ok!"]
    assert session.lines == []
    assert ask(session, "remove_line 30 90 90")[0].startswith("ERROR: The line 30 90 90")


def test_a_client_reads_three_lines_before_it_sends() -> None:
    """As the usual wrappers do: they hang where nothing comes, and wait for every `ok!`."""
    with subprocess.Popen(
        [sys.executable, "-m", "riverboat", "upi"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(3)]
        assert first[2].startswith("registered to ")
        for command in (
            *("set_end_string END", "set_threads 0", "set_recalc_accuracy 0.0025 0.001 0.0005"),
            *("set_accuracy 20", "set_always_recalc 0 60000", "set_info_freq 5", "is_ready"),
        ):
            process.stdin.write(f"{command}\n")
            lines = list(iter(process.stdout.readline, "END\n"))
            assert lines[-1] == f"{command.split()[0]} ok!\n"
        process.stdin.write("no_such_thing\n")
        assert next(iter(iter(process.stdout.readline, "END\n"))).startswith(
            "ERROR: unknown command"
        )
        process.stdin.write("exit\n")
        assert process.wait(timeout=PATIENCE) == 0


def test_lines_are_counted_from_the_trees_beginning() -> None:
    assert line_of([30, 90, 90, 200], 500, 0) == "B30-R90-C-B110"
    assert line_of([0, 0, 0, 0, 0, 0], 500, 0) == "X-X-X-X-X-X"
    assert line_of([0, 45, 90, 90], 90, 1) == "X-B45-A90-C"
    assert line_of([90, 90, 90, 90], 90, 1) == "A90-C"


def test_pio_ranges_are_taken(solved: UpiSession) -> None:
    session = UpiSession()
    text = format_range(Range.parse(OOP), "pio")
    assert ask(session, f"set_range OOP {text}") == ["set_range ok!"]
    assert ask(session, "show_range OOP") == ask(solved, "show_range OOP")


def test_a_run_without_end_is_stopped() -> None:
    told: list[str] = []
    session = UpiSession(told.extend)
    for line in SETUP.splitlines():
        ask(session, line)
    assert ask(session, "go") == ["go ok!"]
    assert ask(session, "wait_for_solver")[0].startswith("ERROR: The solver runs without an end")
    assert ask(session, "go")[0].startswith("ERROR: The solver is running already")
    assert ask(session, "show_node r:0")[0] == "r:0"
    assert ask(session, "stop") == ["stop ok!"]
    assert told[0] == "SOLVER: started"
    assert told[-1] == "SOLVER: stopped (requested)"
    assert ask(session, "set_accuracy 0.02 fraction") == ["set_accuracy ok!"]
    ask(session, "go")
    ask(session, "wait_for_solver")
    assert told[-1] == "SOLVER: stopped (reached accuracy)"
    session.close()


WORDS = st.one_of(
    st.sampled_from(
        ["OOP", "IP", "r:0", "r:0:c:c:5c", "r", "0", "1", "-1", "nan", "1e400", '"', "AA", "QsJh2h"]
    ),
    st.text(max_size=12),
)
COMMAND = st.sampled_from(sorted(set(COMMANDS) - {"exit", "go", "wait_for_solver", "dump_tree"}))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.one_of(COMMAND, st.text(max_size=10)), st.lists(WORDS, max_size=4))))
def test_whatever_is_typed_is_answered(lines: list[tuple[str, list[str]]]) -> None:
    session = UpiSession()
    for line in SETUP.splitlines()[:5]:
        ask(session, line)
    for name, words in lines:
        answer = session.answer(" ".join([name, *words]))
        assert answer is None or all(isinstance(line, str) for line in answer)
    session.close()


def test_the_page_lists_every_command() -> None:
    page = (Path(__file__).parents[3] / "docs" / "upi.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(COMMANDS)
