"""Packed blueprints: rounded, their tree and their buckets as built by the rules."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.card import parse_cards
from riverboat.errors import FileFormatError, ParameterError
from riverboat.holdem.abstraction._k_medians import k_medians
from riverboat.holdem.abstraction.equity_buckets import LiveBuckets
from riverboat.holdem.blueprints._packing import (
    LEVELS,
    pack_tree,
    pack_weights,
    unpack_tree,
    unpack_weights,
)
from riverboat.holdem.blueprints.betting_tree import decisions
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.strategies.files import read_arrays, write_arrays

TREE_ARRAYS = ("nodes", "children", "amounts", "leaves", "dead", "strides", "infosets")
CONFIG = HoldemConfig.from_table(
    {
        "game": {"stacks": 16},
        "bets": {"preflop": "1p,a", "flop": "0.5p,a", "cap": [2, 2, 1, 1]},
        "cards": {"scheme": "percentile", "flop": 3, "turn": 2, "river": 5},
    }
)


def random_blueprint(seed: int) -> Blueprint:
    abstract = AbstractGame.build(CONFIG)
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 65_536, abstract.num_bytes // 8)
    numbers[rng.random(len(numbers)) < 0.5] = 0
    return Blueprint(abstract, numbers.astype(np.uint16))


def test_probabilities_are_rounded_and_unknown_infosets_stay_unknown() -> None:
    blueprint = random_blueprint(1)
    tree, buckets = blueprint.abstract.tree, blueprint.abstract.buckets.num_buckets
    packed = pack_weights(tree, buckets, blueprint.weights)
    found = unpack_weights(tree, buckets, packed)
    again = Blueprint(blueprint.abstract, found)
    for node in range(0, tree.num_nodes, 7):
        if tree.nodes[8 * node] == 255:
            continue
        row = int(tree.nodes[8 * node + 3])
        every = np.arange(buckets[row % 4], dtype=np.uint32)
        before, after = blueprint.at(node, every), again.at(node, every)
        assert np.abs(before - after).max() < 1 / LEVELS
        known = ~np.isclose(before, 1 / before.shape[1]).all(axis=1)
        assert np.allclose(after[known] * LEVELS, np.rint(after[known] * LEVELS))
        assert np.allclose(after[~known], before[~known])
    # Packing what is rounded already changes nothing.
    assert np.array_equal(pack_weights(tree, buckets, found), packed)


def test_a_tree_is_unpacked_as_the_rules_built_it() -> None:
    tree = AbstractGame.build(CONFIG).tree
    found = unpack_tree(CONFIG, *pack_tree(tree))
    for name in ("nodes", "children", "amounts", "leaves", "dead", "strides", "infosets"):
        ours, theirs = getattr(found, name), getattr(tree, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    assert (found.depth, found.num_nodes) == (tree.depth, tree.num_nodes)


def test_a_damaged_stream_is_refused() -> None:
    blueprint = random_blueprint(2)
    tree, buckets = blueprint.abstract.tree, blueprint.abstract.buckets.num_buckets
    packed = pack_weights(tree, buckets, blueprint.weights)
    with pytest.raises(FileFormatError, match="ends too early"):
        unpack_weights(tree, buckets, packed[:-5])
    with pytest.raises(FileFormatError, match="cannot be read"):
        unpack_weights(tree, buckets, packed[3:])
    with pytest.raises(FileFormatError, match="probabilities"):
        unpack_weights(tree, (buckets[0] - 1, *buckets[1:]), packed)
    data, facts = pack_tree(tree)
    with pytest.raises(FileFormatError, match="betting tree"):
        unpack_tree(CONFIG, data, {**facts, "shapes": {}})


def small_buckets(seed: int) -> LiveBuckets:
    """Centres of a few clusters of random rows: any centres make buckets."""
    rng = np.random.default_rng(seed)
    rows = {}
    for street, (size, runouts) in {"flop": (48, 1081), "turn": (48, 46)}.items():
        sample = np.sort(rng.integers(0, runouts, (500, size)), axis=1)[:, ::-1]
        rows[f"{street}_centres"] = k_medians(sample.astype(np.int16), 7, rng=rng).rows
    rows["river_centres"] = k_medians(
        rng.integers(0, 4000, (500, 8)).astype(np.int16), 5, rng=rng
    ).rows
    opponents = (np.arange(1326) % 8).astype(np.uint8)
    return LiveBuckets({**rows, "opponents": opponents}, {"scheme": "equity-k"})


def test_a_live_bucket_is_the_nearest_centre_by_the_definition() -> None:
    """On a turn: the histogram of a hand's river equities over 46 cards, counted one by one."""
    from riverboat.cards.combos import COMBO_CARDS
    from riverboat.cards.strength import BLOCKED, board_strengths

    live, board = small_buckets(3), parse_cards("Qs Js 2d 7c")
    found = live.on_board(board)
    for combo in (17, 400, 911, 1300):
        hand = COMBO_CARDS[combo].tolist()
        if set(hand) & set(board):
            continue
        counts = np.zeros(49, np.int64)
        for river in set(range(52)) - set(hand) - set(board):
            values = board_strengths([*board, river]).astype(np.int64)
            free = (values != BLOCKED) & ~np.isin(COMBO_CARDS, hand).any(axis=1)
            mine = values[combo]
            score = 2 * (values[free] < mine).sum() + (values[free] == mine).sum()
            counts[score * 49 // (2 * 990 + 1)] += 1
        row = np.cumsum(counts[::-1])[::-1][1:]
        distances = np.abs(live.centres[1].rows.astype(np.int64) - row).sum(axis=1)
        assert found[combo] == distances.argmin()


def test_deals_are_looked_up_street_by_street() -> None:
    live = small_buckets(4)
    deals = np.array([np.random.default_rng(i).permutation(52)[:9] for i in range(3)], np.uint8)
    out = np.zeros((3, 2, 4), np.uint32)
    live.assign(deals, 2, out)
    for deal, buckets in zip(deals, out, strict=True):
        for player in range(2):
            low, high = sorted(deal[2 * player : 2 * player + 2].astype(int).tolist())
            combo = low * (101 - low) // 2 + high - 1
            for street, size in enumerate((3, 4, 5), 1):
                board = deal[4 : 4 + size].tolist()
                assert buckets[player, street] == live.on_board(board)[combo]
                assert buckets[player, street] < live.num_buckets[street]


def test_a_packed_file_with_live_buckets_is_read_back(tmp_path: Path) -> None:
    blueprint = random_blueprint(5)
    live = small_buckets(6)
    abstract = AbstractGame(
        HoldemConfig.from_table(
            {**CONFIG.as_table(), "cards": {"scheme": "equity-k", "buckets": [50, 50, 50]}}
        ),
        blueprint.abstract.tree,
        live,
    )
    rng = np.random.default_rng(7)
    weights = rng.integers(0, 65_536, abstract.num_bytes // 8).astype(np.uint16)
    path = tmp_path / "packed.rb"
    Blueprint(abstract, weights).save(path, packed=True)
    found = Blueprint.load(path)
    assert found.needs_tables
    assert found.abstract.buckets.num_buckets == live.num_buckets
    board = tuple(parse_cards("Qs Js 2d"))
    assert np.array_equal(found.buckets_on(board), Blueprint(abstract, weights).buckets_on(board))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="damaged"):
        Blueprint.load(path)


@pytest.mark.e2e
@settings(max_examples=300)
@given(st.data())
def test_a_tree_with_a_valid_checksum_leads_nowhere_outside(data: st.DataObject) -> None:
    """Any number of any array changed: refused, or everything still lies inside the arrays."""
    tree = AbstractGame.build(CONFIG).tree
    name = data.draw(st.sampled_from(TREE_ARRAYS))
    array = getattr(tree, name).copy()
    at = data.draw(st.integers(0, array.size - 1))
    array.flat[at] = data.draw(st.sampled_from([0, 1, 3, 7, 254, 255, 10**6, 2**31 - 1]))
    packed, facts = pack_tree(dataclasses.replace(tree, **{name: array}))
    try:
        found = unpack_tree(CONFIG, packed, facts)
    except FileFormatError:
        return
    walked = [node for node, *_ in decisions(found)]
    assert len(walked) <= found.num_nodes
    abstract = dataclasses.replace(AbstractGame.build(CONFIG), tree=found)
    blueprint = Blueprint(abstract, np.zeros(abstract.num_bytes // 8, np.uint16))
    for node in walked:
        assert np.isfinite(blueprint.at(node, np.array([1], np.uint32))).all()


@pytest.mark.parametrize("depth", [0, 3, -1])
def test_a_tree_deeper_than_it_says_is_refused(depth: int) -> None:
    """Kernels keep a stack of that many points."""
    packed, facts = pack_tree(AbstractGame.build(CONFIG).tree)
    with pytest.raises(FileFormatError, match="not one of its game"):
        unpack_tree(CONFIG, packed, facts | {"depth": depth})
    circle = AbstractGame.build(CONFIG).tree
    circle.children[-1] = 0
    packed, facts = pack_tree(circle)
    with pytest.raises(FileFormatError, match="not one of its game"):
        unpack_tree(CONFIG, packed, facts)


@pytest.mark.parametrize(
    "change",
    [
        {"opponents": np.full(1326, 8, np.uint8)},
        {"opponents": np.zeros(1325, np.uint8)},
        {"river_centres": np.zeros((5, 12), np.int16)},
        {"flop_centres": np.zeros((0, 48), np.int16)},
        {"turn_centres": np.zeros((5, 44), np.int16)},
        {"turn_centres": np.zeros((5, 48), np.int32)},
        {"turn_centres": np.zeros(48, np.int16)},
    ],
)
def test_centres_of_another_shape_are_refused(change: dict[str, Any]) -> None:
    arrays: dict[str, Any] = {
        "flop_centres": np.zeros((5, 48), np.int16),
        "turn_centres": np.zeros((5, 48), np.int16),
        "river_centres": np.zeros((5, 8), np.int16),
        "opponents": np.zeros(1326, np.uint8),
    }
    assert LiveBuckets(arrays, {}).num_buckets == (169, 5, 5, 5)
    with pytest.raises(ParameterError, match="not the centres"):
        LiveBuckets(arrays | change, {})


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("config",), 5),
        (("config", "game"), None),
        (("config", "game", "players"), "many"),
        (("config", "bets", "cap"), {}),
        (("config", "cards"), {"scheme": 3}),
        (("info",), []),
    ],
)
def test_a_header_of_another_kind_is_refused(
    place: tuple[str, ...], value: object, tmp_path: Path
) -> None:
    path = tmp_path / "some.rb"
    random_blueprint(3).save(path)
    arrays, header = read_arrays(path, "blueprint")
    inner = header
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    write_arrays(path, "blueprint", arrays, {k: header[k] for k in ("config", "info")})
    with pytest.raises(FileFormatError, match=r"some\.rb is damaged"):
        Blueprint.load(path)
