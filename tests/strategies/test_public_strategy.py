"""Public strategies: looking up, files, and the dump as directories."""

from pathlib import Path

import numpy as np
import pytest

from public_strategies import random_public_strategy
from riverboat.errors import FileFormatError, StorageError, TooLargeError
from riverboat.games.base import Game, parameters_of
from riverboat.games.duel import Duel
from riverboat.games.registry import make_game
from riverboat.strategies import export
from riverboat.strategies import public_strategy as public_dump
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.strategies.kinds import load
from riverboat.strategies.public_strategy import (
    PUBLIC_KIND,
    PublicStrategy,
    dump_public_strategy,
    load_public_strategy,
    save_public_strategy,
)
from riverboat.strategies.strategy import Strategy
from riverboat.trees.public_games import public_game


def test_lookup_normalises_the_weights_of_a_hand() -> None:
    strategy = random_public_strategy(Duel((6, 6, 2)))
    first = strategy.lookup(0, "7|")
    assert first is not None
    stand, hit = strategy.weights[:2, 6]
    assert first == pytest.approx({"s": stand / (stand + hit), "h": hit / (stand + hit)})
    assert strategy.lookup(1, "10|h3") is not None


@pytest.mark.parametrize(
    ("player", "infoset"),
    [
        (1, "7|"),
        (0, "7|s"),
        (0, "11|"),
        (0, "7"),
        (1, "7|x"),
        (1, "7|h"),
        (1, "7|h0"),
        (0, "7|s,s"),
    ],
)
def test_what_is_no_infoset_is_not_known(player: int, infoset: str) -> None:
    assert random_public_strategy(Duel((6, 6, 2))).lookup(player, infoset) is None


def test_hands_without_weights_are_played_uniformly() -> None:
    game = make_game("leduc")
    shapes = public_game(game).shapes
    empty = np.zeros((shapes.num_tree_slots, shapes.num_lanes))
    strategy = PublicStrategy(game.name, parameters_of(game), empty)
    assert strategy.lookup(1, "Kh|r") == pytest.approx({"f": 1 / 3, "c": 1 / 3, "r": 1 / 3})


@pytest.mark.parametrize("game", [Duel((6, 6, 2), 2), make_game("leduc")], ids=["duel", "leduc"])
def test_every_infoset_is_listed_once(game: Game) -> None:
    strategy = random_public_strategy(game)
    listed = list(strategy.entries())
    assert len({(player, key) for player, key, _ in listed}) == len(listed)
    assert len(listed) == strategy.public.shapes.num_infosets
    for player, key, probabilities in listed[::7]:
        assert strategy.lookup(player, key) == probabilities


def test_a_text_of_gigabytes_is_refused() -> None:
    for write in (export.to_json, export.to_csv):
        with pytest.raises(TooLargeError, match="as Parquet"):
            write(random_public_strategy(Duel((6, 6, 2))), max_infosets=100)


def test_a_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    strategy = random_public_strategy(Duel((1, 10, 5), 2, ">=20"))
    save_public_strategy(tmp_path / "a.rb", strategy)
    again = load_public_strategy(tmp_path / "a.rb")
    assert np.array_equal(again.weights, strategy.weights)
    assert (again.game, again.parameters, again.info) == (
        strategy.game,
        strategy.parameters,
        strategy.info,
    )
    assert again.rules == Duel((1, 10, 5), 2, ">=20")


def test_either_kind_of_file_can_be_read(tmp_path: Path) -> None:
    save_public_strategy(tmp_path / "public.rb", random_public_strategy(Duel((6, 6, 2))))
    plain = Strategy(
        "rps",
        {},
        ("|",),
        np.zeros(1, np.int8),
        np.array([0, 3]),
        ("r", "p", "s"),
        np.full(3, 1 / 3),
    )
    plain.save(tmp_path / "plain.rb")
    assert isinstance(load(tmp_path / "public.rb"), PublicStrategy)
    assert isinstance(load(tmp_path / "plain.rb"), Strategy)


def test_damaged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.rb"
    save_public_strategy(path, random_public_strategy(Duel((6, 6, 2))))
    arrays, header = read_arrays(path, PUBLIC_KIND)
    broken = [
        ({"weights": arrays["weights"][:-1]}, header),
        ({"weights": -arrays["weights"]}, header),
        ({}, header),
        (arrays, {**header, "game": "nonesuch"}),
        (arrays, {**header, "parameters": {"cards": [6, 6]}}),
        (arrays, {"info": {}}),
    ]
    for number, (parts, facts) in enumerate(broken):
        write_arrays(tmp_path / f"{number}.rb", PUBLIC_KIND, parts, facts)
        with pytest.raises(FileFormatError, match=f"{number}.rb"):
            load_public_strategy(tmp_path / f"{number}.rb")


def test_the_dump_nests_action_by_action(tmp_path: Path) -> None:
    strategy = random_public_strategy(Duel((6, 6, 2), 2))
    target = tmp_path / "dump"
    target.mkdir()
    assert dump_public_strategy(strategy, target) == 1232
    assert len(list(target.rglob("strategy.txt"))) == 1232
    assert sorted(p.name for p in target.iterdir() if p.is_dir()) == sorted(
        ["s", *(f"h{card}" for card in range(1, 11))]
    )
    lines = (target / "h7" / "s" / "strategy.txt").read_text().splitlines()
    assert lines[:2] == ["player 0 acts after h7,s", "hand stand hit"]
    assert len(lines) == 12
    for line in lines[2:]:
        down, stand, hit = line.split()
        known = strategy.lookup(0, f"{down}|h7,s")
        assert known is not None
        assert (float(stand), float(hit)) == pytest.approx((known["s"], known["h"]), abs=1e-6)


def test_a_dump_never_touches_what_is_there(tmp_path: Path) -> None:
    strategy = random_public_strategy(Duel((6, 6, 2)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("keep")
    (tmp_path / "file").write_text("keep")
    before = sorted(tmp_path.rglob("*"))
    for target in ("full", "file", "missing/dump", "file/dump"):
        with pytest.raises(StorageError):
            dump_public_strategy(strategy, tmp_path / target)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dump_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = random_public_strategy(Duel((6, 6, 2)))
    calls = 0

    def break_off(*arguments: object) -> str:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise OSError(28, "No space left on device")
        return ""

    monkeypatch.setattr(public_dump, "node_text", break_off)
    with pytest.raises(StorageError, match="no space left"):
        dump_public_strategy(strategy, tmp_path / "dump")
    assert list(tmp_path.iterdir()) == []


def test_a_dump_of_millions_is_refused(tmp_path: Path) -> None:
    strategy = random_public_strategy(Duel((6, 6, 2), 2))
    with pytest.raises(TooLargeError, match="strategy file"):
        dump_public_strategy(strategy, tmp_path / "dump", max_files=100)
    assert list(tmp_path.iterdir()) == []
