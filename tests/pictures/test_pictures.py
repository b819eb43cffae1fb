"""Each picture: its numbers have a source, its bytes repeat, wrong input is one sentence."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import riverboat as rb
from riverboat import pictures
from riverboat.blackjack.pictures import landscape_values
from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.simulation.result import Simulation
from riverboat.blackjack.simulation.simulate import simulate
from riverboat.drawing.figures import THEMES
from riverboat.errors import RiverboatError
from riverboat.pictures._kuhn_picture import kuhn_losses
from riverboat.twentyone.learning.optimum import optimum
from riverboat.twentyone.learning.surfaces import surfaces


@cache
def solved() -> tuple[Any, ...]:
    return tuple(rb.solve("kuhn", algorithm=name, iterations=200) for name in ("cfr", "cfr+"))


@cache
def walked() -> pictures.SolverPath:
    return pictures.solver_path("rps", start={"r": 0.8, "p": 0.1, "s": 0.1}, iterations=300)


@cache
def table() -> Any:
    return rb.train("twentyone", games=20_000, state="soft")


@cache
def played() -> Any:
    return simulate(Simulation(rules_from("vegas-6d-s17")), 20_000, seed=1)


DRAWN: dict[str, Callable[[str], pictures.Picture]] = {
    "convergence": lambda theme: pictures.convergence(list(solved()), theme=theme),
    "simplex": lambda theme: pictures.simplex(walked(), theme=theme),
    "kuhn_family": lambda theme: pictures.kuhn_family(*solved(), theme=theme),
    "game_tree": lambda theme: pictures.game_tree(
        "kuhn", solved()[0], after=("J", "Q"), theme=theme
    ),
    "regret_path": lambda theme: pictures.regret_path("kuhn", "J|", iterations=100, theme=theme),
    "blackjack_landscape": lambda theme: pictures.blackjack_landscape(theme=theme),
    "value_surface": lambda theme: pictures.value_surface(table(), theme=theme),
    "range_grid": lambda theme: pictures.range_grid("QQ+,AKs:0.5", theme=theme),
    "bankroll_fan": lambda theme: pictures.bankroll_fan(played(), 5000, theme=theme),
    "chart": lambda theme: pictures.chart("vegas-6d-s17", _chart(), theme=theme),
}


def _chart() -> Any:
    from riverboat.blackjack.charts import published_chart

    return published_chart(rules_from("vegas-6d-s17"))


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_input_gives_the_same_bytes_of_valid_svg(name: str) -> None:
    first, again = (pictures.picture_bytes(DRAWN[name]("light")) for _ in range(2))
    assert first == again
    assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"dc:date" not in first
    assert THEMES["light"].paper.encode() in first


def test_dark_pictures_are_dark_and_notebooks_show_svg() -> None:
    figure = DRAWN["simplex"]("dark")
    assert THEMES["dark"].paper in figure._repr_svg_()
    assert figure._repr_svg_() == pictures.picture_bytes(figure).decode()


def test_every_name_is_a_picture_or_a_tool() -> None:
    assert {*DRAWN} < {*pictures.__all__} == {*pictures._FILES}
    assert {*pictures.__all__} <= {*dir(pictures)}


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_files_of_each_kind(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"range.{ending}"
    pictures.save(DRAWN["simplex"]("light"), path)
    first = path.read_bytes()
    pictures.save(DRAWN["simplex"]("light"), path)
    assert path.read_bytes() == first
    assert first.startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending])


def test_the_average_of_rock_paper_scissors_converges_to_a_third_each() -> None:
    path = walked()
    assert path.current[0].tolist() == [0.8, 0.1, 0.1]
    np.testing.assert_allclose(path.average[-1], 1 / 3, atol=0.03)
    np.testing.assert_allclose(path.current.sum(axis=1), 1)


def test_a_path_ends_where_the_solver_does() -> None:
    path = pictures.solver_path("kuhn", "J|", algorithm="cfr+", iterations=200)
    strategy = rb.solve("kuhn", algorithm="cfr+", iterations=200).strategy
    assert dict(zip(path.actions, path.average[-1].tolist(), strict=True)) == strategy["J|"]


def test_only_three_times_as_many_kings_cost_nothing() -> None:
    """Kuhn (1950): the first player bets J with α ≤ 1/3, K with 3α, and then loses 1/18."""
    jacks, kings = np.array([0.0, 0.1, 0.3, 0.5]), np.array([0.0, 0.3, 0.9, 1.0])
    losses = kuhn_losses(jacks, kings)
    np.testing.assert_allclose(np.diag(losses)[:3], 0, atol=1e-12)
    off = losses[~np.eye(4, dtype=bool)]
    assert off.min() > 0.01


def test_the_tree_shows_reach_and_payoffs() -> None:
    strategy = rb.solve("kuhn", algorithm="lp").strategy
    svg = pictures.picture_bytes(pictures.game_tree("kuhn", strategy, after=("K", "Q"))).decode()
    bets = strategy["K|"]["b"]
    assert f"bet {bets:.2f}" in svg
    assert f"K|pb ({(1 - bets) * 0:.3f})" in svg  # a queen never bets after a check
    assert "+2 -2" in svg


def test_the_landscape_agrees_with_the_exact_analysis() -> None:
    analysis = rb.blackjack("vegas-6d-s17")
    values = landscape_values(analysis)
    assert values.shape == (26, 10)
    assert np.isfinite(values).all()
    # 2,2 is the only hard 4, and T,T the only hard 20; A,9 against 6 stands.
    for row, hand in ((0, "T,T"), (16, "2,2"), (17, "A,9"), (25, "A,A"), (24, "A,2")):
        best = max(analysis.action_values(hand, "6").values())
        assert values[row, 4] == pytest.approx(best, abs=1e-12)


def test_surfaces_hold_the_exact_values() -> None:
    """Standing on 21 loses never and pushes only where the dealer has 21 too."""
    found = surfaces(table())
    assert set(found) == {"hard hands", "soft hands"}
    for learned, exact in found.values():
        assert learned.shape == exact.shape == (10, 10)
        assert (exact[-1] > 0.5).all()
        assert np.nanmax(np.abs(learned - exact)[-1]) < 0.1
    cards: Any = rb.train("twentyone", games=1000, state="composition")
    by_cards = surfaces(cards)
    best = optimum("composition", "reward")[0].reward - optimum("soft", "reward")[0].reward
    assert 0 <= best < 0.01
    gain = by_cards["hard hands"][1] - found["hard hands"][1]
    assert abs(gain[:9]).max() < 0.1  # knowing the cards changes little


def test_trained_tables_have_a_curve_too() -> None:
    svg = pictures.picture_bytes(pictures.convergence(table())).decode()
    assert "regret per game" in svg
    assert "on-policy" in svg


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "nothing": (lambda: pictures.convergence([]), "nothing to draw"),
    "none": (lambda: pictures.convergence(), "nothing to draw"),
    "mixed axes": (lambda: pictures.convergence([solved()[0], table()]), "no common axis"),
    "no result": (lambda: pictures.convergence(7), "no result"),
    "axis": (lambda: pictures.convergence(solved()[0], by="moons"), "by iterations or by seconds"),
    "theme": (lambda: pictures.kuhn_family(theme="pink"), "light"),
    "two actions": (lambda: pictures.simplex(pictures.solver_path("kuhn")), "three actions"),
    "shape": (lambda: pictures.simplex([[1, 0]]), "shape"),
    "not a strategy": (lambda: pictures.simplex([[1, 1, 0]]), "add up to 1"),
    "infoset": (lambda: pictures.regret_path("kuhn", "Z|"), "J|"),
    "player": (lambda: pictures.regret_path("kuhn", player=7), "no player 8"),
    "sampling": (lambda: pictures.regret_path("kuhn", algorithm="es-mccfr"), "CFR"),
    "lp": (lambda: pictures.regret_path("kuhn", algorithm="lp"), "CFR"),
    "iterations": (lambda: pictures.regret_path("kuhn", iterations=0), "1 to 200,000"),
    "large": (lambda: pictures.regret_path("holdem"), "small game"),
    "start": (lambda: pictures.solver_path("rps", start={"r": 2.0}), "together they make 1"),
    "tree": (lambda: pictures.game_tree("leduc"), "up to 240"),
    "other game": (lambda: pictures.game_tree("leduc", solved()[0], depth=1), "for kuhn"),
    "after": (lambda: pictures.game_tree("kuhn", after=("X",)), "not possible"),
    "two cards at once": (lambda: pictures.game_tree("kuhn", after=("JQ",)), "not possible"),
    "past the end": (lambda: pictures.game_tree("rps", after=("r", "p", "s")), "after r p"),
    "kuhn only": (lambda: pictures.kuhn_family(rb.solve("rps")), "Kuhn"),
    "range": (lambda: pictures.range_grid("nonsense"), "nonsense"),
    "no range": (lambda: pictures.range_grid(7), "no range"),
    "no table": (lambda: pictures.value_surface(solved()[0]), "Q tables"),
    "no rules": (lambda: pictures.blackjack_landscape("mars"), "mars"),
    "no simulation": (lambda: pictures.bankroll_fan(cast("Any", 7)), "simulation"),
    "ending": (lambda: pictures.save(DRAWN["simplex"]("light"), "x.doc"), "svg, png, pdf"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence(case: str) -> None:
    call, words = WRONG[case]
    with pytest.raises(RiverboatError) as error:
        call()
    assert words in str(error.value)
    assert str(error.value).count("\n") == 0


def test_without_matplotlib_a_sentence_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "riverboat.drawing.figures", raising=False)
    monkeypatch.delitem(vars(pictures), "kuhn_family", raising=False)
    with pytest.raises(RiverboatError, match=r"pip install 'matplotlib"):
        _ = pictures.kuhn_family


def test_results_may_be_given_one_by_one_or_as_a_list() -> None:
    first, second, *_ = solved()
    apart = pictures.picture_bytes(pictures.convergence(first, second))
    assert apart == pictures.picture_bytes(pictures.convergence([first, second]))
