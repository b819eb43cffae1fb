"""Damage to a file is found, wherever the bit is that flipped."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from riverboat.blackjack.search.memory import Knowledge
from riverboat.errors import FileFormatError, RiverboatError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.solvers.solver import read_checkpoint
from riverboat.strategies.files import file_kind, open_contents, read_arrays, write_arrays
from riverboat.strategies.public_strategy import load_public_strategy
from riverboat.strategies.strategy import load_strategy
from riverboat.twentyone.learning.q_table import QTable

OLD = Path(__file__).parent.parent / "data" / "files_0.1.0"
LOADERS: dict[str, Callable[[Path], object]] = {
    "strategy-dcfr": read_checkpoint,
    "public-strategy": load_public_strategy,
    "q-table": QTable.load,
    "blueprint": Blueprint.load,
    "blueprint-checkpoint": HoldemTrainer.load,
    "memory": Knowledge.load,
}


def renewed(name: str, folder: Path) -> Path:
    """A file of version 0.1.0, written again as today's version writes it."""
    source, target = OLD / f"{name}.rb", folder / f"{name}.rb"
    arrays, header = read_arrays(source, file_kind(source))
    write_arrays(target, header["kind"], arrays, header)
    return target


def refused(path: Path, raw: bytearray, bit: int, load: Callable[[Path], object]) -> bool:
    raw[bit >> 3] ^= 1 << (bit & 7)
    path.write_bytes(raw)
    raw[bit >> 3] ^= 1 << (bit & 7)
    try:
        load(path)
    except RiverboatError:
        return True
    return False


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_every_bit_of_a_strategy_counts(step: int, tmp_path: Path) -> None:
    """All of them; in the quick suite every thirteenth."""
    path = tmp_path / "kuhn.rb"
    load_strategy(OLD / "strategy-lp.rb").save(path)
    load_strategy(path)
    raw = bytearray(path.read_bytes())
    assert all(refused(path, raw, bit, load_strategy) for bit in range(0, 8 * len(raw), step))


@pytest.mark.parametrize("name", LOADERS)
def test_four_hundred_flips_of_each_kind_are_found(name: str, tmp_path: Path) -> None:
    path, load = renewed(name, tmp_path), LOADERS[name]
    load(path)
    raw = bytearray(path.read_bytes())
    bits = np.random.default_rng(1).choice(8 * len(raw), 400, replace=False)
    assert all(refused(path, raw, int(bit), load) for bit in bits)


def test_the_message_says_what_is_wrong(tmp_path: Path) -> None:
    path = renewed("q-table", tmp_path)
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match=r"q-table\.rb is damaged: its checksum is wrong"):
        QTable.load(path)


def test_a_file_whose_checksum_was_taken_out_is_refused(tmp_path: Path) -> None:
    path = renewed("q-table", tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"checksum"', b'"checkbox"'))
    with pytest.raises(FileFormatError, match="checksum"):
        QTable.load(path)


def test_a_file_has_the_bytes_that_the_safetensors_library_writes(tmp_path):
    kinds = ("?", "u1", "i1", "i2", "u2", "f2", "i4", "u4", "f4", "f8", "i8", "u8", "f4")
    arrays = {
        f"{number}-{kind}": np.arange(number).astype(kind) for number, kind in enumerate(kinds)
    }
    arrays["ä"] = np.ones((2, 3))
    write_arrays(tmp_path / "own.rb", "test", arrays, {"text": "ü"})
    raw = (tmp_path / "own.rb").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    metadata = json.loads(raw[8 : 8 + size])["__metadata__"]
    theirs = save(arrays, metadata=metadata)
    assert json.loads(theirs[8 : 8 + size]) == json.loads(raw[8 : 8 + size])
    assert theirs[8 + size :] == raw[8 + size :]
    with open_contents(tmp_path / "own.rb", "test") as contents:
        assert {name: found.tolist() for name, found in contents.arrays.items()} == {
            name: array.tolist() for name, array in arrays.items()
        }


def test_a_large_file_is_checked_before_its_arrays_are_read(tmp_path):
    path = tmp_path / "own.rb"
    write_arrays(path, "test", {"a": np.arange(1000)}, {})
    raw = bytearray(path.read_bytes())
    raw[-5] ^= 1
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="checksum is wrong"):
        open_contents(path, "test")
    path.write_bytes(raw[:-8])
    with pytest.raises(FileFormatError, match="ends too early"):
        open_contents(path, "test")
    write_arrays(path, "other", {"a": np.arange(1000)}, {})
    with pytest.raises(FileFormatError, match="holds a other, not a test"):
        open_contents(path, "test")
