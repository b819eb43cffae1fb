"""The tour that compiles a wheel's kernels: no command that computes is left out."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from examples import leaves
from kernel_tour import TOUR, kernels_of, unreached

LEAVES = {" ".join(path): command for path, command in leaves()}
WITHOUT = {
    "reads, prints or converts": (
        "abstraction show", "acpc game", "check", "convert", "devices", "example", "export",
        "games", "holdem report page", "holdem report query", "learn", "mcts memory", "phh",
        "range", "show", "training", "twentyone dealer-log", "twentyone tournament list",
        "twentyone tournament show",
    ),
    "takes long; train holdem begins with the same": ("abstraction build",),
    "is train twentyone": ("twentyone train",),
    "reads what holdem solve and review compute": ("holdem from-hand", "holdem report node"),
    "waits for others; computes what play, holdem solve and the rest do": (
        "acpc dealer", "acpc player", "blackjack drill", "drill", "holdem explore", "mcp",
        "twentyone dealer", "twentyone player", "upi", "web",
    ),
    "draws, with an extra, what solve, blackjack and train compute": (
        "plot bankroll-fan", "plot blackjack-landscape", "plot chart", "plot convergence",
        "plot game-tree", "plot kuhn-family", "plot range-grid", "plot regret-path",
        "plot simplex", "plot value-surface",
    ),
}  # fmt: skip
"""Why commands are not in the tour."""


def name_of(line: str) -> str:
    words = shlex.split(line)
    return next(name for n in (3, 2, 1) if (name := " ".join(words[:n])) in LEAVES)


def test_every_command_is_in_the_tour_or_has_a_reason() -> None:
    missing = set(LEAVES) - {name_of(line) for line in TOUR}
    assert sorted(missing) == sorted(name for names in WITHOUT.values() for name in names)


@pytest.mark.parametrize("line", TOUR)
def test_the_tour_has_only_commands_that_can_be_parsed(line: str) -> None:
    name = name_of(line)
    LEAVES[name].make_context(name, shlex.split(line)[len(name.split()) :])


def test_a_kernel_that_the_tour_has_not_compiled_is_named(tmp_path: Path) -> None:
    """`make wheel` ends with these names."""
    package, compiled = tmp_path / "riverboat", tmp_path / "kernels"
    (package / "cards").mkdir(parents=True)
    compiled.mkdir()
    (package / "cards" / "sums.py").write_text(
        "@njit(cache=True)\ndef reached(): ...\n\n"
        "@njit(cache=True, nogil=True)\ndef forgotten(): ...\n\n"
        "@njit(cache=True, inline='always')\ndef inside_others(): ...\n\n"
        "def plain(): ...\n"
    )
    (compiled / "riverboat.cards.sums.reached-2.nbi").write_text("")
    assert kernels_of(package) == {"cards.sums.reached", "cards.sums.forgotten"}
    assert unreached(package, compiled) == ["cards.sums.forgotten"]
