"""What a spot's page says while it is solved."""

import math

import pytest

pytest.importorskip("nicegui")

from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.holdem.spots.spot import Spot
from riverboat.web.holdem.explorer import _facts
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun


@pytest.mark.parametrize("unknown", [math.nan, math.inf])
def test_an_exploitability_that_is_not_known_yet_is_not_shown(tmp_path, unknown):
    ranges = (Range.parse("AA,QQ"), Range.parse("KK"))
    spot = Spot(tuple(parse_cards("As 7s 2c 3d 9h")), pot=10.0, stack=10.0, ranges=ranges)
    run = SpotRun("abcdefgh", tmp_path, SpotOrder(spot, "0.5%"))
    run.parts[0].state = "running"
    run.parts[0].points = [[8, 0.5, unknown]]
    assert ">8 iterations in 0.5 s · until" in _facts(run)
    run.parts[0].points = [[8, 0.5, 0.25]]
    assert "8 iterations in 0.5 s, 0.25 chips exploitable" in _facts(run)
