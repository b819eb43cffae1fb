"""Places in lessons are kept, and a damaged file costs nothing but them."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riverboat.errors import StorageError
from riverboat.lessons.texts import Place, Progress, default_progress


def test_places_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lessons.json"
    progress = Progress(path)
    assert progress.place(2) == Place(0, False)
    progress.keep(2, Place(5))
    progress.keep(12, Place(0, True))
    again = Progress(path)
    assert (again.place(2), again.place(12), again.place(3)) == (Place(5), Place(0, True), Place())
    assert [file.name for file in path.parent.iterdir()] == ["lessons.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": 2, "lessons": {"2": {"step": 3}}}',
        '{"format": 1, "lessons": []}',
        '{"format": 1, "lessons": {"2": 3, "x": {"step": 1}, "²": {"step": 1}}}',
        '{"format": 1, "lessons": {"2": {"step": -1}, "3": {"step": true}, "4": {"step": "9"}}}',
        "[" * 100_000,
        "\x00" * 10,
    ],
)
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lessons.json"
    path.write_text(text)
    progress = Progress(path)
    assert all(progress.place(number) == Place() for number in range(1, 13))
    progress.keep(1, Place(1))
    assert Progress(path).place(1) == Place(1)


@settings(suppress_health_check=list(HealthCheck), max_examples=30)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["format", "lessons", "1", "step", "done", "x"]), inner
                )
            ),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_any_bytes_are_survived(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lessons.json"
    path.write_bytes(data)
    assert Progress(path).place(1).step >= 0


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    progress = Progress(tmp_path / "file" / "lessons.json")
    with pytest.raises(StorageError, match="Cannot write "):
        progress.keep(1, Place(3))
    assert progress.place(1) == Place(3)


def test_the_file_lies_in_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))
    assert default_progress() == tmp_path / "lessons.json"
    monkeypatch.delenv("RIVERBOAT_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_progress() == tmp_path / "riverboat" / "lessons.json"
