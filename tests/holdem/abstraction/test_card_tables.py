"""Abstractions on disk: read back as written, refused when damaged, rebuilt in the cache."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from feature_codes import feature_code
from riverboat.errors import FileFormatError, StorageError
from riverboat.holdem.abstraction._bucket_words import describe_bucket, feature_name
from riverboat.holdem.abstraction._features import build_features
from riverboat.holdem.abstraction.card_abstraction import CardAbstraction, preflop169
from riverboat.holdem.abstraction.card_tables import (
    Recipe,
    abstraction_path,
    card_abstraction,
    load_abstraction,
    save_abstraction,
)
from riverboat.strategies.files import read_arrays, write_arrays


@pytest.fixture(scope="module")
def flop() -> CardAbstraction:
    return build_features("features-flop", streets=["flop"])


def test_read_back_as_written(flop: CardAbstraction, tmp_path: Path) -> None:
    path = tmp_path / "flop.rb"
    save_abstraction(flop, path)
    again = card_abstraction(str(path))
    assert (again.name, again.num_buckets) == (flop.name, flop.num_buckets)
    assert again.describe() == flop.describe()
    assert Recipe.from_table(again.describe()).name == "features-flop"
    for name, array in flop.tables._asdict().items():
        assert (array == getattr(again.tables, name)).all()
    assert (again.details["flop_codes"] == flop.details["flop_codes"]).all()
    assert list(tmp_path.iterdir()) == [path]


def test_every_damaged_byte_is_noticed(flop: CardAbstraction, tmp_path: Path) -> None:
    path = tmp_path / "flop.rb"
    save_abstraction(flop, path)
    whole = path.read_bytes()
    for place in np.linspace(0, len(whole) - 1, 12).astype(int):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(bytes(damaged))
        with pytest.raises(FileFormatError):
            load_abstraction(path)
    path.write_bytes(whole[:-100])
    with pytest.raises(FileFormatError):
        load_abstraction(path)


def test_refuses_other_files(flop: CardAbstraction, tmp_path: Path) -> None:
    path = tmp_path / "other.rb"
    with pytest.raises(StorageError, match="no file"):
        load_abstraction(path)
    write_arrays(path, "strategy", {"x": np.zeros(3)}, {})
    with pytest.raises(FileFormatError, match="strategy"):
        load_abstraction(path)
    save_abstraction(flop, path)
    arrays, header = read_arrays(path, "card-abstraction")
    write_arrays(path, "card-abstraction", arrays, {**header, "schemes_version": 0})
    with pytest.raises(FileFormatError, match="build it again"):
        load_abstraction(path)


def test_cache_is_used_and_mended(
    flop: CardAbstraction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    built: list[str] = []

    def build(self: Recipe, **_: object) -> CardAbstraction:
        built.append(self.name)
        return flop

    monkeypatch.setattr(Recipe, "build", build)
    for _ in range(2):
        assert card_abstraction("features-flop").num_buckets == flop.num_buckets
    assert built == ["features-flop"]
    path = abstraction_path("features-flop")
    path.write_bytes(path.read_bytes()[:-1])
    assert card_abstraction({"scheme": "features", "streets": ["flop"]}).name == "features-flop"
    assert built == ["features-flop"] * 2
    assert load_abstraction(path).num_buckets == flop.num_buckets
    assert card_abstraction("preflop169") is preflop169()


def test_words_for_buckets(flop: CardAbstraction) -> None:
    assert describe_bucket(preflop169().details, 2, preflop169().bucket("AsKs")) == "AKs"
    bucket = flop.bucket("AsKd", "Qs Js 2d")
    assert describe_bucket(flop.details, 1, bucket) == feature_name(
        feature_code("AsKd", "Qs Js 2d")
    )
    assert describe_bucket(flop.details, 3, bucket) == describe_bucket(flop.details, 1, bucket)
    assert describe_bucket(flop.details, 0, 0) == "AA"
    # A centre with every runout in the highest of five bins: equity 0.9, its middle.
    centres = np.full((1, 4), 46, np.int16)
    made = CardAbstraction("x", (169, 169, 1, 1), flop.tables, {}, {"turn_centres": centres})
    assert describe_bucket(made.details, 2, 0) == "equity 0.900, rank 1 of 1 from below"


@pytest.mark.parametrize(
    ("buckets", "change"),
    [
        (None, lambda table: table[:-1]),
        (None, lambda table: table.astype(np.uint32)),
        (None, lambda table: np.where(np.arange(len(table)) == 7, 65_535, table).astype(np.uint16)),
        ([169, 1, 1, 1], None),
        ([169, 10], None),
        ([170, 10, 10, 10], None),
        (["x"], None),
    ],
)
def test_tables_with_valid_checksums_must_be_those_of_buckets(
    flop: CardAbstraction, tmp_path: Path, buckets: object, change: Any
) -> None:
    path = tmp_path / "flop.rb"
    kept = flop.tables if change is None else flop.tables._replace(flop=change(flop.tables.flop))
    save_abstraction(dataclasses.replace(flop, tables=kept), path)
    if buckets is not None:
        arrays, header = read_arrays(path, "card-abstraction")
        names = ("name", "schemes_version", "recipe", "sha256")
        facts = {name: header[name] for name in names} | {"buckets": buckets}
        write_arrays(path, "card-abstraction", arrays, facts)
    with pytest.raises(FileFormatError, match="is damaged"):
        load_abstraction(path)
