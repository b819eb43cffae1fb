"""Three players on the command line: solve, go on, view, drill, and what is refused."""

import io
from pathlib import Path

import pytest

import riverboat as rb
from commands import Command
from exact_three_way import RIVER, TURN
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.holdem.spots.solve import open_solver
from riverboat.holdem.spots.spot import Spot, make_spot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.runtime.devices import choose_device


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("three")
    out = folder / "river.rb"
    rb.spot(RIVER).solve(target="1%", checkpoint=out)
    return out


def test_solve_prints_its_size_and_the_gains_of_each(command: Command, tmp_path: Path) -> None:
    (tmp_path / "river.toml").write_text(RIVER)
    out = tmp_path / "river.rb"
    answer = command("holdem", "solve", tmp_path / "river.toml", "--target", "2%", "--out", out)
    assert answer.code == 0
    assert "decision nodes" in answer.err
    for word in ("gains", "SB", "BB", "BTN", "% of the pot"):
        assert word in answer.out


def test_solving_goes_on_from_a_file(command: Command, solved: Path) -> None:
    facts = command("holdem", "solve", "--resume", solved, "--target", "0.2%", "--json").json
    assert facts["players"] == ["sb", "bb", "btn"]
    assert facts["gain_sum"] == pytest.approx(sum(facts["gains"]))
    assert facts["gain_sum_pct"] <= 0.2
    assert sum(facts["equity"]) == pytest.approx(1, abs=1e-5)


def test_view_shows_side_pots_and_every_player(command: Command, solved: Path) -> None:
    text = command("holdem", "view", solved, "--node", "r:0:b40:c:c").out
    assert "pots: 90 (SB, BB, BTN), 40 (SB, BTN)" in text
    text = command("holdem", "view", solved, "--node", "r:0:b40:f").out
    assert "BB   has folded" in text
    facts = command("holdem", "view", solved, "--player", "btn", "--json").json
    assert (facts["player"], facts["acts"]) == ("btn", "sb")
    assert set(facts["hands"]) == {"KdQd", "KdJd", "4h4c", "8d8c", "QsJs"}
    assert "sb or bb or btn" in command.refused("holdem", "view", solved, "--player", "ip")


def test_a_drill_against_two(
    command: Command, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 30))
    facts = command("holdem", "drill", solved, "--side", "bb", "--hands", 3, "--json").json
    assert (facts["side"], facts["hands"]) == ("bb", 3)


def test_what_three_players_cannot_have(command: Command, tmp_path: Path) -> None:
    spot, out = tmp_path / "spot.toml", tmp_path / "x.rb"
    spot.write_text(RIVER)
    solve = ("holdem", "solve", spot)
    assert "kept whole" in command.refused(*solve, "--without", "rivers", "--out", out)
    assert "Nobody acts" in command.refused(*solve, "--lock", "r:0:c:c:c=check:1")
    assert "begin with three cards" in command.refused("holdem", "report", spot)
    with pytest.raises(UnknownNameError, match="no device"):
        open_solver(None, device="tpu")
    solver = open_solver(ThreeWaySpot.from_toml(RIVER), device="auto")
    assert solver.device_name == choose_device("auto")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export",), "spot of three players"),
        (("holdem", "show"), "not a blueprint"),
        (("holdem", "strength"), "not a blueprint"),
        (("holdem", "preflop"), "not a preflop"),
        (("match", "holdem", "random"), "cannot play"),
        (("solve", "kuhn", "--resume"), "not a strategy"),
    ],
)
def test_other_commands_refuse_a_file_of_three(
    command: Command, solved: Path, words: tuple[str, ...], said: str
) -> None:
    assert said in command.refused(*words, solved)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sb = 50, bb = 20, btn = 40", "sb = 0, bb = 20, btn = 0", "need chips behind"),
        ('btn = "KdQd', 'co = "77"\nbtn = "KdQd', "two or three players, not 4"),
        ('"KhJh,KcJc,ThTd,5s5c,AcJc:0.25"', '"KhQh,KcQc,9s8s,7h7d"', "never meet"),
    ],
)
def test_a_bad_file_ends_with_a_sentence_and_code_2(
    command: Command, tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = RIVER.replace(old, new)
    if said == "never meet":
        text = text.replace("KhQh,KcQc:0.5,9s8s,7h7d,AcQc", "KhQh").replace(new, '"KhQh"')
    (tmp_path / "bad.toml").write_text(text)
    assert said in command.refused("holdem", "solve", tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sb = 50, bb = 20, btn = 40", "sb = 0, bb = 0, btn = 40", "need chips behind"),
        ("sb = 50, bb = 20, btn = 40", "sb = 50, bb = 20", "btn as a number"),
        ("sb = 50, bb = 20, btn = 40", "sb = -1, bb = 20, btn = 40", "at least 0"),
        ('btn = "KdQd', 'co = "77"\nbtn = "KdQd', "two or three players, not 4"),
        ('"KdQd,KdJd,4h4c,8c8d,QsJs"', '"KsQd"', "holds a card of the board"),
        ("pot = 30", "pot = 0", "pot must be above 0"),
        ("pot = 30", 'pot = 30\nfolded = "co"', "cannot have folded"),
        ('btn = { bet = "a"', 'btn = { donk = "a"', "donk"),
        ("[rake]", '[tree]\nlines = ["X"]\n[rake]', "two players"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(old: str, new: str, said: str) -> None:
    assert old in RIVER
    with pytest.raises((ParameterError, UsageError), match=said):
        make_spot(RIVER.replace(old, new))


def test_ranges_that_never_meet_are_refused() -> None:
    with pytest.raises(ParameterError, match="never meet"):
        rb.spot(board="Ks Th 7s 4d 2c", pot=9, stack=9, ranges=("AA", "AhAd,AcAs", "AsAd"))
    with pytest.raises(UsageError, match="two ranges, or three"):
        rb.spot(board="Ks Th 7s 4d 2c", pot=9, stack=9, ranges=("AA",) * 4)


def test_a_text_reads_back_to_the_same_spot() -> None:
    for text in (RIVER, TURN, TURN.replace("pot = 30", 'pot = 30.5\nfolded = "sb"\ndead = "2c"')):
        spot = make_spot(text)
        assert isinstance(spot, ThreeWaySpot)
        assert make_spot(spot.to_toml()) == spot
    with pytest.raises(UsageError, match="three players"):
        Spot.from_toml(RIVER).of_two()


def test_a_spot_that_is_too_large_is_refused_before_it_is_built() -> None:
    flop = TURN.replace('"Ks Th 7s 4d"', '"Ks Th 7s"').replace("sizes.turn", "sizes.flop")
    wide = flop.replace('bet = "a"', 'bet = "10%,20%,50%,a", raise = "20%,50%,a"')
    with pytest.raises(rb.RiverboatError, match="more than the"):
        ThreeWaySpot.from_toml(wide).solve(memory="10MiB")
