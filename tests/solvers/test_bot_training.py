"""The table of bots: Showdown's, as the first program printed it, with its signs put right."""

import pytest

from riverboat.arena.bot_table import train_bots
from riverboat.errors import UsageError
from riverboat.games.registry import make_game


def test_showdowns_table_of_bots() -> None:
    """Best responses to the random player win 0.5 first and 0.292541 second; −0.0324 is the value
    of the first seat, and a trained bot wins some 0.24 from the random one."""
    heard: list[str] = []
    table = train_bots(
        make_game("showdown"),
        [100, 200_000],
        hands=20_000,
        seed=1,
        progress=lambda what, done, size: heard.append(what),
    )
    assert table.names == ("Rand", "CFR(100)", "CFR(200k)")
    assert table.exploitability[0] == pytest.approx((0.5 + 0.292541) / 2, abs=1e-6)
    assert table.exploitability[2] < 0.01
    assert table.exact[2, 0] == pytest.approx(0.24, abs=0.02)
    assert table.exact_first[2, 2] == pytest.approx(-0.0324, abs=0.005)
    assert table.mean[2, 0] == pytest.approx(table.exact[2, 0], abs=3 * table.ci95[2, 0])
    assert table.as_dict()["exploitability"]["Rand"] == table.exploitability[0]
    assert "training to 200,000 iterations" in heard


def test_training_goes_forward() -> None:
    with pytest.raises(UsageError, match="rising"):
        train_bots(make_game("kuhn"), [10, 5])
