"""riverboat phh: hand histories played again."""

from pathlib import Path

from commands import Command

HANDS = """
[1]
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [0.5, 1]
min_bet = 1
starting_stacks = [50, 40.5]
actions = ["d dh p1 ????", "d dh p2 ????", "p2 cbr 2.5", "p1 f"]
players = ["Ann", "Bob"]
finishing_stacks = [49, 41.5]

[2]
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [50, 40]
actions = ["d dh p1 ????", "d dh p2 ????", "p2 f"]
finishing_stacks = [50, 40]
"""


def test_hands_are_played_again_in_the_money_of_the_file(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "some.phhs"
    path.write_text(HANDS)
    first, second = command("phh", path, "--json").json["hands"]
    assert (first["betting"], first["won"], first["note"]) == ("r2.5f", [-1.0, 1.0], None)
    assert (first["blinds"], first["players"]) == ([0.5, 1.0], ["Ann", "Bob"])
    assert second["won"] == [1.0, -1.0]
    assert "other finishing stacks: p1 50 instead of 51, p2 40 instead of 39" in second["note"]
    shown = command("phh", path)
    assert shown.code == 0
    assert "Bob +1" in shown.out


def test_what_is_not_phh_is_refused_with_the_files_name(command: Command, tmp_path: Path) -> None:
    assert "There is no file" in command.refused("phh", tmp_path / "none.phh")
    assert "not a regular file" in command.refused("phh", "/dev/zero")
    with (tmp_path / "sparse.phh").open("wb") as stream:
        stream.truncate(5_000_000_000)
    assert "too large" in command.refused("phh", tmp_path / "sparse.phh")
    path = tmp_path / "bad.phhs"
    path.write_text(HANDS.replace("p1 f", "p1 cbr 3"))
    assert "section 1: This PHH hand cannot be played: p1 bets or raises to 3" in command(
        "phh", path
    ).out.replace("\n", " ")
    found = command("phh", path, "--json").json
    assert [hand["section"] for hand in found["hands"]] == ["2"]
    assert [bad["section"] for bad in found["refused"]] == ["1"]
    path.write_text(HANDS.replace("p1 f", "p1 cbr 3").replace("p2 f", "p2 flees"))
    assert "bad.phhs: In section 1" in command.refused("phh", path)
    path.write_bytes(b"\xff\xfe\x00")
    assert "not a text" in command.refused("phh", path)
    path.write_text("")
    assert "no hands" in command.refused("phh", path)
