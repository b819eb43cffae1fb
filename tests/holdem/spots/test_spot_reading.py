"""Grids, drills and reports of spots, against closed forms and plain counting."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.spots import flops as flop_report
from riverboat.holdem.spots.board_figures import BoardFigures
from riverboat.holdem.spots.drill import Drill, DrillHand
from riverboat.holdem.spots.node_views import node_facts, node_grid
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from spot_texts import FLOP, POLAR, TURN

RAKED_TURN = TURN + "[rake]\nrate = 0.05\ncap = 2.0\n"


@pytest.fixture(scope="module")
def polar() -> SolvedSpot:
    return Spot.from_toml(POLAR).solve(target=0.02)


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    return Spot.from_toml(RAKED_TURN).solve(target="0.5%")


def test_the_grid_of_the_polar_river_shows_its_closed_form(polar: SolvedSpot) -> None:
    grid = node_grid(polar.at("r:0"))
    assert grid.cell("AA").shares["all-in 100"] == pytest.approx(1.0, abs=1e-3)
    assert grid.cell("qq").shares["all-in 100"] == pytest.approx(0.5, abs=0.01)
    assert grid.cell("AA").equity == 1.0
    assert grid.cell("QQ").equity == 0.0
    assert grid.cell("AA").fill == 1.0
    assert not grid.cell("KK").weight
    assert not grid.cell("KK").shares
    with pytest.raises(ParameterError, match="no class of hands"):
        grid.cell("AX")


def test_cells_add_up_to_the_range(turn: SolvedSpot) -> None:
    for node in ("r:0", "r:0:c", "r:0:b30", "r:0:c:c:Ah"):
        cursor = turn.at(node)
        grid = node_grid(cursor)
        whole = cursor.summary()
        assert whole.strategy is not None
        weights = cursor.weights(cursor.player)
        assert sum(cell.weight for cell in grid.cells) == pytest.approx(weights.sum())
        for cell in grid.cells:
            if cell.shares:
                assert sum(cell.shares.values()) == pytest.approx(1.0)
        facts = node_facts(cursor)
        assert facts["strategy"] == whole.strategy == grid.totals
        assert {"strategy", "ev", "equity", "weight"} <= facts["hands"][
            next(iter(facts["hands"]))
        ].keys()
        json.dumps(facts)


def test_the_grid_as_a_picture_is_well_formed(turn: SolvedSpot) -> None:
    acting, waiting = node_grid(turn.at("r:0")), node_grid(turn.at("r:0"), 1)
    for grid in (acting, waiting, node_grid(turn.at("r:0:c:c"))):
        picture = ElementTree.fromstring(grid.svg())
        names = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        assert {"AA", "AKs", "72o", *(words for _, words in grid.legend())} <= set(names)


def play(hand: DrillHand, choose: str, rng: np.random.Generator) -> None:
    while hand.your_turn:
        figures = hand.cursor.figures(hand.cards, hand.drill.side)
        assert figures.strategy is not None
        assert figures.action_evs is not None
        names = list(figures.strategy)
        if choose == "best":
            action = max(names, key=lambda name: figures.action_evs[name])
        else:
            chances = np.array(list(figures.strategy.values()))
            action = names[int(rng.choice(len(names), p=chances / chances.sum()))]
        hand.act(action)


@pytest.mark.parametrize("side", [0, 1])
def test_a_player_of_the_solution_wins_its_value(turn: SolvedSpot, side: int) -> None:
    """The mean of many hands is the EV of the spot, rake included."""
    drill, rng = Drill(turn, side=side, seed=5, again=False), np.random.default_rng(1)
    results = []
    for _ in range(200):
        hand = drill.deal()
        play(hand, "mixed", rng)
        assert hand.won is not None
        results.append(hand.won)
    error = np.std(results) / np.sqrt(len(results))
    assert abs(np.mean(results) - turn.info["ev"][side]) < 4 * error
    assert drill.score.chips == pytest.approx(sum(results))
    assert drill.score.hands == 200


def test_best_moves_cost_nothing_and_others_what_the_solution_says(polar: SolvedSpot) -> None:
    drill, rng = Drill(polar, seed=2), np.random.default_rng(3)
    for _ in range(20):
        play(drill.deal(), "best", rng)
    assert drill.score.tally.right == drill.score.tally.asked == 20
    assert drill.score.tally.lost == 0
    # Checking aces gives up what a bet wins: 150 with it, 100 without, in closed form.
    while (hand := drill.deal()).cards[0] != "A":
        play(hand, "best", rng)
    verdict = hand.act("check")
    assert not verdict.right
    assert verdict.best == "all-in 100"
    assert verdict.cost == pytest.approx(50, abs=0.5)


def test_a_drill_repeats_with_its_seed(turn: SolvedSpot) -> None:
    def stories(seed: int) -> list[tuple[str, tuple[int, ...], float]]:
        drill = Drill(turn, side=1, seed=seed)
        found = []
        for _ in range(6):
            hand = drill.deal()
            play(hand, "best", drill.rng)
            found.append((hand.cursor.node_id, hand.combos, hand.won))
        return found

    assert stories(4) == stories(4) != stories(5)


def test_flops_and_their_weights() -> None:
    """1,755 flops up to suits stand for all 22,100 (52 over 3)."""
    every = flop_report.all_flops()
    assert (len(every), sum(flop.weight for flop in every)) == (1755, 22100)
    for num in (1, 25, 184, 1755):
        some = flop_report.parse_flops(f"subset:{num}")
        assert len(some) == num
        assert sum(flop.weight for flop in some) == pytest.approx(22100)
    by_suits = dict.fromkeys((1, 2, 3), 0.0)
    for flop in flop_report.parse_flops("subset:100"):
        by_suits[len({card % 4 for card in flop.cards})] += flop.weight / 22100
    # One, two and three suits: 5.18, 55.06 and 39.76 per cent of all flops.
    assert by_suits[1] == pytest.approx(0.0518, abs=0.02)
    assert by_suits[3] == pytest.approx(0.3976, abs=0.04)


def test_flops_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "flops.txt"
    path.write_text("# mine\nQsJh2h 12\n\nAs Ks Qs\n7c,7d,2h, 0.5\n")
    flops = flop_report.parse_flops(str(path))
    assert [(flop.name, flop.weight) for flop in flops] == [
        ("QsJh2h", 12.0), ("AsKsQs", 1.0), ("7c7d2h", 0.5)
    ]  # fmt: skip
    for bad in ("", "QsJh", "QsJhXx", "QsJh2h -1", "QsJh2h nan", "QsJh2h\n2hJhQs", "\x00\x01"):
        path.write_text(bad)
        with pytest.raises(UsageError):
            flop_report.parse_flops(str(path))
    path.write_bytes(b"\xff\xfe\x00")
    for bad in ("subset:0", "subset:x", "subset:²", "nowhere.txt"):
        with pytest.raises(UsageError):
            flop_report.parse_flops(bad)


def test_rows_of_flops_are_read_back_and_averaged(tmp_path: Path) -> None:
    spot, folder = Spot.from_toml(FLOP), tmp_path / "flops"
    flops = flop_report.parse_flops("subset:3")
    flop_report.open_folder(folder, spot, {"target": 1.0})
    flop_report.open_folder(folder, spot, {"target": 1.0})
    rows = []
    for flop in flops:
        row = flop_report.flop_row(solve_spot(spot.with_board(flop.cards), iterations=3), flop)
        (folder / f"{flop.name}.json").write_text(json.dumps(row.stored()))
        assert flop_report.read_row(folder, flop) == row
        rows.append(row)
    (folder / f"{flops[1].name}.json").write_text('{"flop": "cut')
    assert flop_report.read_row(folder, flops[1]) is None
    with pytest.raises(UsageError, match="another spot or target"):
        flop_report.open_folder(folder, spot, {"target": 2.0})
    with pytest.raises(UsageError, match="three cards"):
        flop_report.open_folder(tmp_path / "x", Spot.from_toml(POLAR), {})
    for row in rows:
        assert sum(row.figures.ev.values()) == pytest.approx(20, abs=1e-3)
        assert sum(row.figures.strategies["oop"].values()) == pytest.approx(1)
    means = flop_report.averages(rows)
    weights = [row.weight for row in rows]
    assert means["ev_oop"] == pytest.approx(
        np.average([row.figures.ev["oop"] for row in rows], weights=weights)
    )


def test_tables_are_written_as_csv_and_parquet(tmp_path: Path) -> None:
    def figures(ev: float, action: str) -> BoardFigures:
        equity = {"oop": 0.6, "ip": 0.4}
        return BoardFigures({"oop": ev, "ip": 20 - ev}, equity, {"oop": {action: 1.0}}, {})

    row = flop_report.FlopRow("QsJh2h", 2.0, 5, 0.1, 0.3, figures(12.0, "check"))
    other = flop_report.FlopRow("7c7d2h", 1.0, 5, 0.1, 0.3, figures(10.0, "bet 5"))
    flop_report.write_table(tmp_path / "t.csv", [row, other])
    lines = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert [line["oop check"] for line in lines] == ["1.0", "0.0"]
    parquet = pytest.importorskip("pyarrow.parquet")
    flop_report.write_table(tmp_path / "t.parquet", [row, other])
    assert parquet.read_table(tmp_path / "t.parquet").to_pydict()["ev_oop"] == [12.0, 10.0]


def test_a_spot_is_one_line() -> None:
    # Six aces, two QJs beside the board, four T9s, four A5s; six kings, three AQs and KQs, 98s.
    spot = Spot.from_toml(RAKED_TURN)
    assert repr(spot) == "<Spot QsJh2h7c, pot 60, stack 90, 16 against 16 hands>"
