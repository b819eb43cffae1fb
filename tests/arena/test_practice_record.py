"""The trainer's record: kept whole, read back, and damaged ones refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.arena.drill import PracticeRecord, Verdict
from riverboat.blackjack.casino.drills import default_record
from riverboat.errors import FileFormatError, StorageError


def filled(path: Path | None) -> PracticeRecord:
    record = PracticeRecord(path)
    record.note("6 decks", "hard", "6TvT", Verdict("stand", "hit", 0.25))
    record.note("6 decks", "soft", "A7v9", Verdict("stand", "hit", 0.0, scored=False))
    record.tally("hard").asked = 2
    return record


def test_it_reads_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "record.json"
    before = filled(path)
    before.save()
    after = PracticeRecord.load(path)
    assert after == before
    assert after.queue.due("6 decks", ("hard", "soft")) is None
    after.queue.now += 5
    item = after.queue.due("6 decks", ("hard", "soft"))
    assert item is not None
    assert item.key == "6TvT"
    assert after.queue.due("6 decks", ("hard",), but="6TvT") is None


def test_the_place_of_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))
    assert default_record() == tmp_path / "blackjack-trainer.json"
    monkeypatch.delenv("RIVERBOAT_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_record() == tmp_path / "riverboat" / "blackjack-trainer.json"


def test_a_folder_is_not_a_record(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        PracticeRecord.load(tmp_path)


whole = json.dumps(filled(None).as_dict())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@settings(max_examples=60)
@given(
    st.binary(max_size=60)
    | st.integers(0, len(whole)).map(lambda n: whole[:n].encode())
    | st.tuples(st.sampled_from(["format", "answered", "tallies", "items"]), values).map(
        lambda change: json.dumps({**json.loads(whole), change[0]: change[1]}).encode()
    )
)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("record") / "record.json"
    path.write_bytes(raw)
    try:
        record = PracticeRecord.load(path)
    except FileFormatError:
        return
    record.note("6 decks", "hard", "6TvT", Verdict("hit", "hit", 0.0))
    record.save()
    assert PracticeRecord.load(path) == record
