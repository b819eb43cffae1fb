"""Named ranges: folders, names, files of others, undo, and names that lead elsewhere."""

import random

import pytest

import riverboat as rb
from riverboat.cards import range_library
from riverboat.cards.range_library import RangeLibrary, checked_name, read_range
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.spot import Spot

OPEN = Range.parse("22+,A2s+,KTs+")


@pytest.fixture
def library(tmp_path):
    return RangeLibrary(tmp_path / "ranges")


@pytest.fixture
def of_user(tmp_path, monkeypatch):
    """The library that the terminal and Python read."""
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))
    return RangeLibrary.of_user()


def test_a_saved_range_is_a_text_file_of_its_own(library):
    assert library.save(" BTN/ open  2.5 ", OPEN) == "BTN/open 2.5"
    assert (library.folder / "BTN" / "open 2.5.txt").read_text() == "22+,A2s+,KTs+\n"
    assert library.read("BTN/open 2.5") == OPEN
    library.save("any", Range.parse("AA:0.5"))
    library.save("BB/call/small", Range.parse("99"))
    assert library.names() == ["BB/call/small", "BTN/open 2.5", "any"]


def test_a_taken_name_is_refused_or_replaced_and_the_old_one_comes_back(library):
    library.save("BTN/open", OPEN)
    with pytest.raises(UsageError, match="There is a range BTN/open already"):
        library.save("BTN/open", Range.parse("AA"))
    library.save("BTN/open", Range.parse("AA"), replace=True)
    assert library.read("BTN/open") == Range.parse("AA")
    library.restore("BTN/open")
    assert library.read("BTN/open") == OPEN
    library.restore("BTN/open")
    assert library.read("BTN/open") == Range.parse("AA")


def test_what_is_renamed_keeps_its_hands_and_empty_folders_go(library):
    library.save("BTN/open", OPEN)
    library.save("other", Range.parse("AA"))
    assert library.rename("BTN/open", "CO/open 2.5") == "CO/open 2.5"
    assert not (library.folder / "BTN").exists()
    assert library.read("CO/open 2.5") == OPEN
    with pytest.raises(UsageError, match="other already"):
        library.rename("CO/open 2.5", "other")
    with pytest.raises(UsageError, match="no saved range BTN/open any more"):
        library.rename("BTN/open", "x")


def test_what_is_deleted_comes_back_and_the_oldest_are_gone(library, monkeypatch):
    library.save("BTN/open", OPEN)
    library.delete("BTN/open")
    assert library.names() == []
    with pytest.raises(UsageError, match="There is no saved range BTN/open"):
        library.read("BTN/open")
    library.restore("BTN/open")
    assert library.read("BTN/open") == OPEN
    with pytest.raises(UsageError, match="no deleted range"):
        library.restore("BTN/open")
    monkeypatch.setattr(range_library, "MAX_DELETED", 2)
    for number in range(4):
        library.save(f"r{number}", OPEN)
        library.delete(f"r{number}")
    assert len(list((library.folder / ".deleted").iterdir())) == 2
    library.restore("r3")


def test_an_empty_or_damaged_range_is_refused(library):
    with pytest.raises(UsageError, match="nothing to save"):
        library.save("none", OPEN.without(list(range(52))))
    library.save("BTN/open", OPEN)
    (library.folder / "BTN" / "open.txt").write_text("nonsense")
    with pytest.raises(UsageError, match="BTN/open is damaged: 'nonsense'"):
        library.read("BTN/open")
    (library.folder / "gto.txt").write_text("[50]AA[/50],KK")  # as GTO+ writes it
    assert library.read("gto") == Range.parse("AA:0.5,KK")


@pytest.mark.parametrize(
    "name",
    ["", " ", "/", "..", "../x", "a/../b", "a/./b", ".hidden", "a//b", "a\\b", "a:b", "x" * 41,
     "a/b/c/d/e", "con", "é", "a\x00b", "a\n", "x.", "@a", "~", "C:", "a/ /b"],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused(library, name):
    if name == "a\n":  # blanks are put right
        assert checked_name(name) == "a"
        return
    for call in (library.read, library.delete, library.restore, lambda n: library.save(n, OPEN)):
        with pytest.raises(UsageError):
            call(name)
    assert not library.folder.exists() or library.names() == []


def test_any_name_stays_in_the_folder(library):
    chance = random.Random(20261119)
    letters = "ab./\\ ~:@\x00-+_é9"
    for _ in range(400):
        name = "".join(chance.choices(letters, k=chance.randint(1, 12)))
        try:
            kept = library.save(name, OPEN, replace=True)
        except RiverboatError:
            continue
        assert checked_name(kept) == kept
        assert (library.folder / f"{kept}.txt").resolve().is_relative_to(library.folder.resolve())
        assert kept in library.names()


def test_a_saved_range_is_read_wherever_a_range_is_written(of_user, command, tmp_path):
    command("range", "22+,A2s+,KTs+", "--save", "BTN/open")
    assert of_user.read("BTN/open") == read_range("@BTN/open") == OPEN
    assert "22+,A2s+,KTs+" in command("range", "@BTN/open").out
    plain = rb.equity("22+,A2s+,KTs+", "AKs", board="Qs Jh 2d")
    assert rb.equity("@BTN/open", "AKs", board="Qs Jh 2d").wins == plain.wins
    text = 'board = "Qs Jh 2h"\npot = 10\nstack = 5\n[ranges]\noop = "@BTN/open"\nip = "KK"\n'
    (tmp_path / "spot.toml").write_text(text)
    assert Spot.load(tmp_path / "spot.toml").ranges[0] == OPEN
    assert rb.spot(board="Qs Jh 2h", pot=10, stack=5, ranges=("@BTN/open", "KK")).ranges[0] == OPEN
    with pytest.raises(UsageError, match="own file only"):
        Spot.from_toml(text)
    with pytest.raises(UsageError, match="There is no saved range nothing"):
        rb.equity("@nothing", "AA")
