"""Every example in help, README and docs runs as it stands, only with smaller numbers.

The examples of one help text, page or table run in order in a folder that is empty at first, as a
reader would type them: no file is made for them. Commands that wait for others over a network, or
ask a language model, are only parsed; those that train or build hold'em are long and run with
`make test-all`. Optional libraries are hidden, so that whatever needs one says how to install it.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import sys
from pathlib import Path

import pytest

from commands import Command
from examples import Example, help_examples, leaves, page_examples, table_examples
from riverboat.cli.ascii_text import plain
from riverboat.runtime.devices import list_devices

pytestmark = pytest.mark.e2e

SMALL = {
    "--rounds": "20",
    "--minutes": "0.002",
    "--deals": "4",
    "--lbr": "2",
    "--hands": "10",
    "--games": "2000",
    "--training": "10,100",
    "--simulations": "500",
    "--flops": "subset:1",
    "--simulated": "2000",
    "--buckets": "50",
    "--iterations": "2000",
}
"""Sizes that a test takes instead of those in the example."""
SPOT_TARGET = "20%"
"""Share of the pot that a spot is solved to, unless an example asks for less."""
SEARCH = "seconds=0.2&iterations=4"
"""A searching player that answers soon."""
PLACES = {"HOST": "127.0.0.1", "PORT": "7001", "equity-k-200": "equity-k-50"}
NETWORK = {
    "mcp",
    "web",
    "holdem explore",
    "twentyone dealer",
    "twentyone player",
    "twentyone table",
    "acpc dealer",
    "acpc player",
    "twentyone dealer-log",
}
LONG = (
    "train holdem",
    "holdem ",
    "review ",
    "abstraction build",
    "abstraction show",
    "demo",
    "blueprint:",
    "search",
)
EXTRAS = ("matplotlib", "pyspiel", "open_spiel", "pokerkit", "gymnasium", "pettingzoo", "ray")
IMPORTED_AS = {"cupy-cuda12x": "cupy", "open_spiel": "pyspiel"}
"""Packages whose module has another name."""
by_source: dict[str, list[Example]] = {}
for each in (*help_examples(), *page_examples(), *table_examples()):
    by_source.setdefault(each.source, []).append(each)


def is_long(source: str) -> bool:
    return any(part in " ".join(each.words) + " " for each in by_source[source] for part in LONG)


SOURCES = [
    pytest.param(source, marks=pytest.mark.slow) if is_long(source) else source
    for source in by_source
]


@pytest.mark.parametrize("source", SOURCES)
def test_examples_run(
    source: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = os.environ.get("RIVERBOAT_CACHE") or Path.home() / ".cache" / "riverboat"
    monkeypatch.setenv("RIVERBOAT_CACHE", str(cache))
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for example in by_source[source]:
        with monkeypatch.context() as patch:
            needed = example.words[0] in ("plot", "training") or source == "docs/interop.md"
            for library in () if needed else EXTRAS:
                patch.setitem(sys.modules, library, None)
            run_example(example, command, patch)


def run_example(example: Example, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [PLACES.get(word, word) for word in example.words]
    leaf, name, rest = find(words)
    models = any(word.startswith("llm:") for word in words)
    if name in NETWORK or models or ("cuda" in words and not has_gpu()):
        leaf.make_context(name, rest)
        return
    searches = any(word.partition(":")[0].partition("?")[0] == "search" for word in words)
    for i, word in enumerate(words[:-1]):
        small = "2" if searches and word in ("--lbr", "--deals", "--hands") else SMALL.get(word)
        words[i + 1] = smaller(words[i + 1], small)
    if name in ("holdem solve", "holdem report") and "--target" not in words:
        words += ["--target", SPOT_TARGET]
    if name == "review" and "--no-solve" not in words:
        words += ["--seconds", "0.5"]
    words = [quick_search(word) for word in words]
    monkeypatch.setattr("sys.stdin", io.StringIO("c\np\n" * 100))
    answer = command(*words)
    if answer.code != 0:
        assert answer.code == 2, f"{example}\n{answer.err}"
        assert asks_for_a_missing_extra(answer.err), f"{example}\n{answer.err}"
    assert "Traceback" not in answer.err
    strange = {c for c in answer.out if not c.isascii() and plain(c) == "?"}
    assert not strange, f"{example} prints {strange}, which have no ASCII"


def asks_for_a_missing_extra(sentence: str) -> bool:
    """Whether it is one sentence that names what to install, and that is not installed."""
    named = re.search(r"pip install '([\w-]+)", sentence)
    if named is None or sentence.count("\n") != 1:
        return False
    library = IMPORTED_AS.get(named[1], named[1])
    return sys.modules.get(library, True) is None or importlib.util.find_spec(library) is None


def has_gpu() -> bool:
    return any(device.name.startswith("cuda") for device in list_devices())


def quick_search(word: str) -> str:
    """The same searching player with little time: `search`, `search:FILE` or `search?options`."""
    player, _, options = word.partition("?")
    if player.partition(":")[0] != "search":
        return word
    kept = [o for o in options.split("&") if o and o.partition("=")[0] not in SEARCH]
    return f"{player}?{'&'.join([*kept, SEARCH])}"


def smaller(given: str, small: str | None) -> str:
    """The size for the test, unless the example's own is smaller."""
    if given.endswith("%") and given[:-1].replace(".", "").isdigit():
        return given if float(given[:-1]) >= float(SPOT_TARGET[:-1]) else SPOT_TARGET
    if small is None or small.startswith("subset:"):
        return small or given
    if not given[0].isdigit() or ("," not in given and float(given) <= float(small)):
        return given
    return small


def find(words: list[str]):  # type: ignore[no-untyped-def]
    """The command that the words name, its name, and the words left for it."""
    for path, leaf in leaves():
        if tuple(words[: len(path)]) == path:
            return leaf, " ".join(path), words[len(path) :]
    for path, leaf in leaves():  # a group whose first command need not be named
        if tuple(words[: len(path) - 1]) == path[:-1] and len(path) > 2:
            return leaf, " ".join(path[:-1]), words[len(path) - 1 :]
    raise AssertionError(f"there is no command {words}")
