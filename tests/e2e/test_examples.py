"""Every example in help, README and docs runs as it stands, only with smaller numbers.

The examples of one page run in order in one folder, as a reader would type them. Files that a
page takes for granted are made first. Commands that wait for others over a network are only
parsed; those that train or build hold'em are long and run with `make test-all`. Optional
libraries are hidden, so that whatever needs one says how to install it.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from commands import Command
from examples import ROOT, Example, help_examples, leaves, page_examples, table_examples
from riverboat.cli.startup import plain
from riverboat.runtime.devices import list_devices

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
    "--buckets": "10",
    "--iterations": "2000",
}
"""Sizes that a test takes instead of those in the example."""
SPOT_TARGET = "20%"
"""Share of the pot that a spot is solved to, unless an example asks for less."""
SEARCH = "seconds=0.2&iterations=4"
"""A searching player that answers soon."""
PLACES = {"HOST": "127.0.0.1", "PORT": "7001"}
NETWORK = {
    "cluster",
    "web",
    "holdem explore",
    "dealer",
    "player",
    "table",
    "acpc dealer",
    "acpc player",
    "dealer-log",
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
MAKERS = {
    "kuhn.rb": "solve kuhn --out kuhn.rb",
    "leduc.rb": "solve leduc --target 1e-3 --out leduc.rb",
    "duel.rb": "solve duel --iterations 20 --out duel.rb",
    "q.rb": "train twentyone --games 1000 --out q.rb",
    **{
        name: f"mcts learn {name} --rounds 3 --simulations 50"
        for name in ("bot.txt", "old.txt", "more.txt", "other.txt")
    },
    "mine.phhs": "play holdem --phh mine.phhs --hands 2 --seed 1",
    "headsup-small.rb": "train holdem --config headsup-small --iterations 2000",
    "3bet-flops": "holdem report 3bet.toml --flops subset:1 --target 20%",
    "3bet.rb": "holdem solve 3bet.toml --target 5% --out 3bet.rb",
}
"""A file that an example reads → the command that makes it."""

CONFIG = """
[game]
small_blind = 0
big_blind = 0
ante = 1
ranks = 3
suits = 1
hole_cards = 1
board_cards = [0]
limit = "fixed-limit"
bet_sizes = [1]
max_raises = [1]
stacks = 2
[bets]
preflop = "m"
[cards]
scheme = "lossless"
[training]
period = 8192
"""
"""Kuhn poker as a hold'em config, for examples with `mine.toml`."""
SPOT = """
board = "Qs Jh 2h"
pot = 180
stack = 180
[ranges]
oop = "AsAh,KdKc,QdJd"
ip = "TsTh,AdQd,9d8d"
[sizes.flop]
oop = { bet = "a" }
ip = { bet = "a" }
"""
"""A small flop, for examples with `3bet.toml`."""
BEFORE = {"tournament show": "tournament host anna=basic bob=random --rounds 5 --seed 1"}
"""A command → one that must have run before it."""

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
    Path("3bet.toml").write_text(SPOT)
    for example in by_source[source]:
        with monkeypatch.context() as patch:
            needed = example.words[0] == "plot" or source == "docs/interop.md"
            for library in () if needed else EXTRAS:
                patch.setitem(sys.modules, library, None)
            run_example(example, command, patch)


def run_example(example: Example, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [PLACES.get(word, word) for word in example.words]
    leaf, name, rest = find(words)
    if name in NETWORK or ("cuda" in words and not has_gpu()):
        leaf.make_context(name, rest)
        return
    if name in BEFORE:
        assert command(*BEFORE[name].split()).code == 0
    searches = any(word.partition(":")[0].partition("?")[0] == "search" for word in words)
    for i, word in enumerate(words[:-1]):
        small = "1" if searches and word in ("--lbr", "--deals", "--hands") else SMALL.get(word)
        words[i + 1] = smaller(words[i + 1], small)
    words = [quick_search(word) for word in words]
    for word in words:
        for file, maker in MAKERS.items():
            if file in word and not Path(file).exists() and not is_written(words, word):
                monkeypatch.setattr("sys.stdin", io.StringIO("c\n" * 100))
                assert command(*maker.split()).code == 0, maker
    if "3bet.toml" in words:
        page = (ROOT / "docs" / "spots.md").read_text(encoding="utf-8")
        Path("3bet.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    if "mine.toml" in words:
        Path("mine.toml").write_text(CONFIG)
        words += ["--iterations", "50"]
    monkeypatch.setattr("sys.stdin", io.StringIO("c\n" * 100))
    answer = command(*words)
    if answer.code == 2 and "--plot" in words:
        assert "pip install 'matplotlib" in answer.err, answer.err
    else:
        assert answer.code == 0, f"{example}\n{answer.err}"
    assert "Traceback" not in answer.err
    strange = {c for c in answer.out if not c.isascii() and plain(c) == "?"}
    assert not strange, f"{example} prints {strange}, which have no ASCII"


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
    if small is None or given.startswith("subset:"):
        return small or given
    if not given[0].isdigit() or ("," not in given and float(given) <= float(small)):
        return given
    return small


def is_written(words: list[str], word: str) -> bool:
    """Whether the example makes this file itself."""
    before = words[words.index(word) - 1]
    return before in ("--out", "-o", "--phh") or words[:2] == ["mcts", "learn"]


def find(words: list[str]):  # type: ignore[no-untyped-def]
    """The command that the words name, its name, and the words left for it."""
    for path, leaf in leaves():
        if tuple(words[: len(path)]) == path:
            return leaf, " ".join(path), words[len(path) :]
    for path, leaf in leaves():  # a group whose first command need not be named
        if tuple(words[: len(path) - 1]) == path[:-1] and len(path) > 2:
            return leaf, " ".join(path[:-1]), words[len(path) - 1 :]
    raise AssertionError(f"there is no command {words}")
