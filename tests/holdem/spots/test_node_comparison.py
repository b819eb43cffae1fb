"""Two nodes next to each other, against the figures that each cursor has by itself."""

import csv
import io
import json
from dataclasses import replace

import pytest

import riverboat as rb
from exact_three_way import RIVER as THREE_WAY
from riverboat.errors import UnknownNameError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.node_comparison import compare_nodes
from riverboat.holdem.spots.node_groups import GroupFigures, node_groups
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from spot_texts import POLAR, TURN


@pytest.fixture(scope="module")
def polar() -> SolvedSpot:
    return Spot.from_toml(POLAR).solve(target=0.02)


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    return Spot.from_toml(TURN).solve(target="2%")


def test_locked_next_to_unlocked_as_the_closed_form_says(polar: SolvedSpot) -> None:
    """Kings that always call lose: OOP bets aces alone, and wins 100 more with half of the range.

    Unlocked, aces win 150 and queens 0; against a caller aces win 200 and queens check for 0.
    """
    caller = solve_spot(polar.spot, target=0.02, locks=["r:0:b100=call:1"])
    compared = compare_nodes(polar.at(), caller.at())
    assert compared.player == "oop"
    whole = compared.totals["oop"]
    assert whole.ev == pytest.approx(25, abs=0.2)
    assert compared.totals["ip"].ev == pytest.approx(-25, abs=0.2)
    assert whole.equity == pytest.approx(0, abs=1e-9)
    assert whole.strategy["all-in 100"] == pytest.approx(-1 / 4, abs=0.01)
    rows = {row.name: row for row in compared.classes()}
    assert rows["AA"].ev == pytest.approx(50, abs=0.2)
    assert rows["QQ"].ev == pytest.approx(0, abs=0.2)
    assert rows["QQ"].strategy["check"] == pytest.approx(1 / 2, abs=0.02)
    assert compared.classes("ev")[0].name == "AA"
    assert compared.classes("check")[0].name == "QQ"


@pytest.mark.parametrize("player", [0, 1])
def test_both_sides_are_what_their_cursors_say(turn: SolvedSpot, player: int) -> None:
    nodes = turn.at("r:0"), turn.at("r:0:c:b30")
    compared = compare_nodes(*nodes, player=player)
    tables = [at.table(player) for at in nodes]
    rows = {row.name: row for row in compared.hands()}
    assert rows.keys() == tables[0].keys() | tables[1].keys()
    for name, row in rows.items():
        for side, table in zip((row.first, row.second), tables, strict=True):
            assert (side is None) == (name not in table)
            if side is not None:
                figures = table[name]
                assert (side.ev, side.equity, side.weight) == (
                    figures.ev, figures.equity, figures.weight
                )  # fmt: skip
        if row.first is not None and row.second is not None:
            assert row.ev == row.second.ev - row.first.ev
            assert row.equity == row.second.equity - row.first.equity
    for seat, name in enumerate(turn.spot.names):
        first, second = (at.summary(seat) for at in nodes)
        assert compared.totals[name].ev == pytest.approx(second.ev - first.ev)
        assert compared.totals[name].weight == pytest.approx(second.weight - first.weight)
    # OOP acts at both nodes, with other actions; IP at neither.
    assert compared.actions == ()
    assert compared.one_sided == (
        ((), ()) if player else (("check", "bet 30"), ("fold", "call", "all-in 90"))
    )


def test_actions_of_other_sizes_are_said_and_summed(turn: SolvedSpot) -> None:
    larger = Spot.from_toml(TURN.replace('bet = "50%"', 'bet = "75%,100%"')).solve(target="5%")
    compared = compare_nodes(turn.at(), larger.at())
    assert compared.actions == ("check", "any bet")
    assert compared.one_sided == (("bet 30",), ("bet 45", "bet 60"))
    strategy = compared.totals["oop"].strategy
    assert strategy["check"] == pytest.approx(-strategy["any bet"], abs=1e-9)
    bets = larger.at().mean_strategy()
    assert strategy["any bet"] == pytest.approx(
        bets["bet 45"] + bets["bet 60"] - turn.at().mean_strategy()["bet 30"]
    )


def test_other_ranges_have_hands_on_one_side(turn: SolvedSpot) -> None:
    narrow = Spot.from_toml(TURN.replace("AA,QJs", "QJs,KTs")).solve(target="5%")
    compared = compare_nodes(turn.at(), narrow.at())
    rows = {row.name: row for row in compared.classes()}
    assert rows["AA"].second is None
    assert rows["AA"].ev != rows["AA"].ev
    assert rows["AA"].weight == -6
    assert rows["KTs"].first is None
    assert rows["KTs"].weight == 4
    last = compared.classes("ev")[-1]
    assert last.ev != last.ev


def test_groups_and_filters_narrow_both_sides(turn: SolvedSpot) -> None:
    compared = compare_nodes(turn.at(), turn.at("r:0:c:c:Ah"), "one pair", player=0)
    sums = {row.name: row for row in compared.groups("made")}
    for which, at in enumerate((turn.at(), turn.at("r:0:c:c:Ah"))):
        groups = one_pairs(at)
        for name, row in sums.items():
            side = (row.first, row.second)[which]
            assert (side is None) == (name not in groups)
            if side is not None:
                assert side.ev == groups[name].ev
    whole = compared.totals["oop"]
    assert whole.first is not None
    assert whole.first.weight == pytest.approx(
        sum(row.first.weight for row in sums.values() if row.first)
    )


def one_pairs(at: SpotCursor) -> dict[str, GroupFigures]:
    rows = node_groups(at, "one pair", player=0).groups("made")
    return {row.name: row.players[0] for row in rows if row.players[0].share > 0}


def test_tables_hold_the_same_numbers(turn: SolvedSpot, polar: SolvedSpot) -> None:
    compared = compare_nodes(turn.at(), turn.at(), "AA,QJs")
    facts = compared.as_dict(limit=2)
    json.dumps(facts)
    assert (len(facts["hands"]), facts["num_hands"]) == (2, 6 + 2)
    rows = list(csv.DictReader(io.StringIO(compared.to_csv("classes"))))
    assert [row["class"] for row in rows] == ["AA", "QJs"]
    assert {float(row["ev change"]) for row in rows} == {0.0}
    assert list(compared.to_frame("groups").columns[:3]) == ["kind", "group", "weight 1"]
    assert len(compared.to_frame("hands")) == 8
    with pytest.raises(UnknownNameError, match="table"):
        compared.columns("nothing")
    with pytest.raises(UnknownNameError, match="order"):
        compared.hands("luck")


def test_three_players_stand_side_by_side() -> None:
    spot = Spot.from_toml(THREE_WAY)
    solved = spot.solve(iterations=20)
    locked = spot.solve(iterations=20, locks=["r:0=check:1"])
    compared = rb.compare_nodes(solved, locked, player="sb")
    assert list(compared.totals) == ["sb", "bb", "btn"]
    assert compared.totals["sb"].second.strategy["check"] == pytest.approx(1)  # type: ignore[index, union-attr]
    for seat, name in enumerate(spot.names):
        change = locked.at().summary(seat).ev - solved.at().summary(seat).ev
        assert compared.totals[name].ev == pytest.approx(change)


def test_what_cannot_be_compared_is_refused(turn: SolvedSpot, polar: SolvedSpot) -> None:
    with pytest.raises(UsageError, match="compare spots of one board"):
        compare_nodes(turn.at(), polar.at())
    three = Spot.from_toml(THREE_WAY).solve(iterations=1)
    with pytest.raises(UsageError, match="2 players and the other 3"):
        compare_nodes(turn.at(), three.at())
    with pytest.raises(UnknownNameError, match="player"):
        rb.compare_nodes(turn, player="utg")
    other = replace(turn.spot, pot=50).solve(iterations=5)
    assert compare_nodes(turn.at(), other.at()).totals["oop"].ev < 0
