"""Hold'em's results show themselves: one line, a table in a notebook, facts for programs."""

import numpy as np
import pytest

from riverboat.holdem.abstraction.card_abstraction import preflop169
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.duplicate_match import duplicate_match
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import LbrResult
from riverboat.holdem.blueprints.players import STYLES


def test_card_abstractions_and_local_best_response() -> None:
    cards, found = preflop169(), LbrResult(np.array([1.0, 3.0]), 2.0)
    assert repr(cards).startswith("<CardAbstraction preflop169: 169/169/169/169 buckets")
    assert cards.as_dict()["buckets"]["river"] == 169
    assert "169" in cards._repr_html_()
    # Two boards, 1 and 3 chips, of a big blind of 2: 500 and 1,500, a thousand on average.
    assert repr(found).startswith("<LbrResult +1,000 ± ")
    assert (found.as_dict()["mean"], found.as_dict()["boards"]) == (1000.0, 2)
    assert "+1,000" in found._repr_html_()


def test_blueprints_and_their_matches() -> None:
    config = {
        "game": {"stacks": 8},
        "bets": {"preflop": "a", "cap": 1},
        "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
    }
    abstract = AbstractGame.build(HoldemConfig.from_table(config))
    blueprint = Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16))
    assert "\n" not in repr(blueprint)
    assert "<svg" in blueprint._repr_html_()
    match = duplicate_match(blueprint, STYLES["fold"], 20, seed=1)
    assert "\n" not in repr(match)
    facts = match.as_dict()
    assert facts["games"] == 40
    assert facts["as_it_fell"]["mean"] == pytest.approx(match.plain.mean)
    assert "as player 2" in match._repr_html_()
