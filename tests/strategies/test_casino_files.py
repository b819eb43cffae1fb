"""Q tables and memories whose checksum is right and whose content is not: a sentence, no crash."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.blackjack.search.memory import Counts, Knowledge, state_of
from riverboat.errors import RiverboatError
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.twentyone.learning.learner import Trainer
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import evaluate_table, train_table

ODD = [None, True, -1, 2**70, 1e300, float("nan"), "x", "", [], {}, [[1]], {"a": 1}, ["T|8"]]
FIELDS = ("game", "parameters", "state", "objective", "info", "states", "rules")
NUMBERS = [-1, 60, 2**40, np.iinfo(np.int64).min, float("nan"), float("inf"), -0.5, 1.5]


def use_table(path: Path) -> None:
    table = QTable.load(path)
    table.greedy()
    table._repr_html_()
    evaluate_table(table)
    if "method" in table.info:
        Trainer.resume(table).run(10)


def use_memory(path: Path) -> None:
    memory = Knowledge.load(path)
    for up in "A23456789T":
        assert np.isfinite(memory.prior(up)).all()
    list(memory.entries())
    assert np.isfinite(memory.info["visits"])


def table_file(path: Path) -> None:
    train_table(2_000, state="points").save(path)


def memory_file(path: Path) -> None:
    known = Knowledge(rules="6 decks")
    known.add(state_of("T", "88"), "P", Counts(3.0, 1.0, 4.0))
    known.add(state_of("6", "TJ"), "S", Counts(9.0, 0.0, 1.0))
    known.save(path)


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "q-table": (table_file, use_table),
    "mcts-memory": (memory_file, use_memory),
}


def changed(arrays: dict[str, Any], header: dict[str, Any], rng: random.Random) -> None:
    """Put something odd into an array or the header."""
    name = rng.choice([*arrays, *header, "info"])
    if name in arrays:
        array = arrays[name] = arrays[name].copy()
        way = rng.randrange(4)
        if way == 0 and array.size:
            with np.errstate(all="ignore"):
                array.reshape(-1)[rng.randrange(array.size)] = np.array(rng.choice(NUMBERS)).astype(
                    array.dtype
                )
        elif way == 1:
            arrays[name] = array[: len(array) // 2]
        elif way == 2:
            arrays[name] = array.astype(rng.choice([np.float32, np.int8, np.float64]))
        else:
            del arrays[name]
    elif name == "info" and isinstance(header.get("info"), dict):
        key = rng.choice([*header["info"], "games", "curve", "method"])
        header["info"] = {**header["info"], key: rng.choice(ODD)}
    else:
        header[name] = rng.choice(ODD)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_odd_content_is_refused_or_harmless(kind: str, tmp_path: Path) -> None:
    make, use = KINDS[kind]
    whole = tmp_path / "whole.rb"
    make(whole)
    use(whole)
    refused = 0
    for seed in range(150):
        rng = random.Random(seed)
        arrays, header = read_arrays(whole, kind)
        kept = {key: header[key] for key in FIELDS if key in header}
        for _ in range(rng.randrange(1, 3)):
            changed(arrays, kept, rng)
        path = tmp_path / "odd.rb"
        try:
            write_arrays(path, kind, arrays, kept)
        except (RiverboatError, TypeError, ValueError, OverflowError):
            continue  # no file can hold that
        try:
            use(path)
        except RiverboatError:
            refused += 1
    assert refused > 40


def test_a_table_with_averages_beyond_its_rewards_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.rb"
    table = train_table(2_000)
    table.values[3, 0] = 1.5
    table.save(path)
    with pytest.raises(RiverboatError, match="figures are not those"):
        QTable.load(path)
    table.to_csv(tmp_path / "odd.csv")
    with pytest.raises(RiverboatError, match="that no games can give"):
        QTable.load(tmp_path / "odd.csv")
