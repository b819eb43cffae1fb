"""load() answers any bytes with a strategy or with one sentence."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from riverboat.errors import RiverboatError
from riverboat.strategies.kinds import KINDS, load

ROOT = Path(__file__).parent.parent.parent
OLD = sorted((ROOT / "tests" / "data" / "files_0.1.0").glob("*.rb"))
ENDINGS = st.sampled_from([".rb", ".csv", ".txt", ""])


def answered(path: Path) -> bool:
    """True for a strategy, False for a sentence; anything else is raised."""
    try:
        load(path)
    except RiverboatError as error:
        sentence = str(error)
    else:
        return True
    assert sentence.endswith(".")
    return False


@settings(max_examples=60)
@given(st.binary(max_size=300), ENDINGS)
@example(b"\x1c", ".txt")  # white space to str.strip, not to bytes.strip
@example(b" \r\n", ".txt")
@example(b"\xc2\xa0", ".txt")
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, raw: bytes, ending: str) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"x{ending}"
    path.write_bytes(raw)
    assert answered(path) == (ending == ".txt" and not raw.strip())  # an empty memory is one


@settings(max_examples=60)
@given(st.text(max_size=200), ENDINGS)
def test_any_text(tmp_path_factory: pytest.TempPathFactory, text: str, ending: str) -> None:
    path = tmp_path_factory.mktemp("text") / f"x{ending}"
    path.write_text(text, encoding="utf-8", errors="replace")
    answered(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(KINDS)),
    st.dictionaries(
        st.sampled_from(["game", "parameters", "info", "config", "states", "state", "format"]), JSON
    ),
)
def test_any_header(
    tmp_path_factory: pytest.TempPathFactory, kind: str, header: dict[str, object]
) -> None:
    """A file of format 1 has no checksum, so whatever its header says must be survived."""
    inside = json.dumps({"format": 1, "kind": kind, "package": "0.1.0", **header})
    outside = json.dumps({"__metadata__": {"riverboat": inside}}).encode()
    path = tmp_path_factory.mktemp("header") / "x.rb"
    path.write_bytes(len(outside).to_bytes(8, "little") + outside)
    answered(path)


@pytest.mark.parametrize("source", OLD, ids=lambda path: path.stem)
def test_old_files_cut_anywhere(source: Path, tmp_path: Path) -> None:
    raw, path = source.read_bytes(), tmp_path / "x.rb"
    for size in range(0, len(raw), max(1, len(raw) // 60)):
        path.write_bytes(raw[:size])
        assert not answered(path)


def test_every_kind_that_is_written_is_known() -> None:
    written = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text()
        if "write_arrays" in text or "read_arrays" in text:
            written |= set(re.findall(r'^_?(?:PUBLIC_)?KIND = "([\w-]+)"', text, re.MULTILINE))
            written |= set(re.findall(r'write_arrays\(path, "([\w-]+)"', text))
    assert written <= set(KINDS)
    assert len(written) > 5
