"""Groups of hands at nodes against the figures of the cursor: sums, filters, tables."""

import csv
import io
import json

import numpy as np
import pytest

from exact_three_way import RIVER as THREE_WAY
from riverboat.cards.hand_groups import KINDS
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError
from riverboat.holdem.spots.node_groups import node_groups
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from spot_texts import POLAR, TURN


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    return Spot.from_toml(TURN).solve(target="1%")


def test_the_polar_river_in_groups() -> None:
    """Aces full bet always and win 150; queens full bluff half the time: the closed form."""
    at = Spot.from_toml(POLAR).solve(target=0.02).at("r:0")
    found = node_groups(at)
    (row,) = found.groups("made")
    assert (row.name, row.players[0].share) == ("full house", pytest.approx(1))
    aces = node_groups(at, "A").total
    assert aces.strategy is not None
    assert aces.strategy["all-in 100"] == pytest.approx(1, abs=1e-3)
    assert aces.players[0].ev == pytest.approx(150, abs=0.5)
    assert aces.players[0].share == pytest.approx(0.5)
    assert node_groups(at, "QQ").total.strategy["all-in 100"] == pytest.approx(0.5, abs=0.01)  # type: ignore[index]


@pytest.mark.parametrize("node", ["r:0", "r:0:c", "r:0:c:c", "r:0:b30", "r:0:c:c:Ah"])
@pytest.mark.parametrize("player", [0, 1])
def test_groups_add_up_to_the_range(turn: SolvedSpot, node: str, player: int) -> None:
    at = turn.at(node)
    found, whole = node_groups(at, player=player), at.summary(player)
    for kind in KINDS:
        rows = found.groups(kind)
        shares = np.array([row.players[player].share for row in rows])
        assert shares.sum() == pytest.approx(1)
        for name in ("ev", "equity"):
            values = [getattr(row.players[player], name) for row in rows]
            here = shares > 0
            mean = shares[here] @ np.array(values)[here]
            assert mean == pytest.approx(getattr(whole, name)), (kind, name)
        if player == at.player:
            assert whole.strategy is not None
            for action, often in whole.strategy.items():
                mix = [(row.strategy or {}).get(action, 0.0) for row in rows]
                assert shares @ mix == pytest.approx(often)
        else:
            assert all(row.strategy is None for row in rows)


def test_a_group_opens_into_its_hands(turn: SolvedSpot) -> None:
    at = turn.at("r:0")
    found = node_groups(at, "one pair")
    table = at.table()
    rows = found.hands("ev")
    assert {row.made for row in rows} <= {"overpair", "top pair", "second pair", "underpair"}
    assert [row.ev for row in rows] == sorted((row.ev for row in rows), reverse=True)
    for row in rows:
        figures = table[row.cards]
        assert (row.weight, row.ev, row.equity) == (figures.weight, figures.ev, figures.equity)
        assert row.strategy == figures.strategy
    assert sum(row.share for row in rows) == pytest.approx(found.total.players[0].share)
    assert {Range.parse(found.range_text()).weights[combo] for combo in at.combos(0)} <= {0.0, 1.0}
    assert Range.parse(found.range_text()).num_combos == pytest.approx(
        sum(row.weight for row in rows)
    )
    by_action = found.hands("check")
    assert by_action[0].strategy["check"] == max(r.strategy["check"] for r in rows)  # type: ignore[index]
    assert [row.cards for row in found.hands("name")] == sorted(row.cards for row in rows)


def test_tables_hold_the_same_numbers(turn: SolvedSpot) -> None:
    found = node_groups(turn.at("r:0"), "no pair or one pair")
    facts = found.as_dict(limit=3)
    json.dumps(facts)
    assert len(facts["hands"]) == 3 < facts["num_hands"]
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["group"] for row in rows] == [row["group"] for row in facts["groups"]]
    frame = found.to_frame(hands=True)
    assert len(frame) == facts["num_hands"]
    assert list(frame.columns[:5]) == ["hand", "weight", "share", "ev", "equity"]
    assert frame["share"].sum() == pytest.approx(facts["total"]["oop"]["share"])


def test_three_players_stand_side_by_side() -> None:
    at = Spot.from_toml(THREE_WAY).solve(iterations=20).at()
    found = node_groups(at)
    assert len(found.names) == len(found.total.players) == 3
    for player, name in enumerate(found.names):
        shares = [row.players[player].share for row in found.groups("made")]
        assert sum(shares) == pytest.approx(1), name


def test_what_cannot_be_found_is_refused(turn: SolvedSpot) -> None:
    at = turn.at("r:0")
    with pytest.raises(ParameterError, match=r"No hand of OOP at r:0 fits 'quads'\."):
        node_groups(at, "quads")
    with pytest.raises(UnknownNameError, match="kind of groups"):
        node_groups(at).groups("colour")
    with pytest.raises(UnknownNameError, match="order"):
        node_groups(at).hands("luck")
