"""The tables of notes/scale.md are those that the measured rates give."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
spec = importlib.util.spec_from_file_location("scale_table", ROOT / "tools" / "scale_table.py")
assert spec is not None
assert spec.loader is not None
scale_table = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = scale_table
spec.loader.exec_module(scale_table)


def test_the_page_is_up_to_date() -> None:
    page = (ROOT / "notes" / "scale.md").read_text(encoding="utf-8")
    assert scale_table.filled(page) == page


def test_what_is_computed_follows_from_the_rates() -> None:
    training = scale_table.Training(
        {
            "table_bytes": 1e8,
            "rounds": [
                {"chunks": c, "deals": d, "sent": s, "received": r, "merge_us": m, "follow_us": f}
                for c, d, s, r, m, f in (
                    (1, 10_000, 200, 400, 2.0, 0.8),
                    (1, 40_000, 100, 200, 1, 0.4),
                )
            ],
        }
    )
    game = scale_table.Game(1e8, 10e-6)
    walks = scale_table.CHUNK
    # Bytes halve when deals grow fourfold; a core needs 10 ns per byte sent, 2 ns per byte taken.
    sent = walks * 100 * (walks / 2 / 40_000) ** -0.5
    one = training.round(game, 1)
    assert one["coming"] == pytest.approx(sent)
    assert one["merge"] == pytest.approx(sent * 10e-9 / 16)
    assert one["going"] == pytest.approx(min(2 * sent, 1.1e8))
    assert (one["walk"], one["network"]) == (pytest.approx(walks * 10e-6), 0.0)
    many = training.round(game, 32)
    assert many["network"] == pytest.approx((32 * sent + many["going"]) / 1.25e9)
    assert training.rate(game, 1) < 1e5 < training.rate(game, 8)
