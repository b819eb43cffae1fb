"""Libraries that are not there."""

import importlib
import sys

import pytest

import riverboat as rb
from riverboat.errors import UsageError
from riverboat.interop._libraries import library


def test_a_missing_library_says_how_to_install_it() -> None:
    with pytest.raises(UsageError) as caught:
        library("no_such_library_anywhere", "OpenSpiel")
    assert str(caught.value).startswith(
        "OpenSpiel is not installed; install it with: pip install 'open_spiel>=1.5' "
    )


def test_a_library_that_is_there_is_handed_over() -> None:
    import numpy

    assert library("numpy", "NumPy") is numpy


@pytest.mark.parametrize(
    ("module", "package", "title"),
    [
        ("riverboat.interop._gymnasium_blackjack", "gymnasium", "Gymnasium"),
        ("riverboat.interop.pettingzoo_table", "gymnasium", "Gymnasium"),
        ("riverboat.interop.pettingzoo_table", "pettingzoo", "PettingZoo"),
        ("riverboat.interop.openspiel_players", "open_spiel.python.policy", "OpenSpiel"),
    ],
)
def test_modules_that_need_a_missing_library_say_so(
    module: str, package: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("riverboat.interop.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=f"^{title} .*not installed; install it with: "):
        importlib.import_module(module)


def test_players_are_listed_without_the_libraries_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("riverboat.interop")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "open_spiel.python.policy", None)
    listed = rb.players()
    assert "random" in listed
    assert "OpenSpiel is not installed; install it with: " in listed._repr_html_()


def test_another_name_of_holdem_plays_the_same_table() -> None:
    first = rb.match("holdem", "holdem:call", "holdem:random", hands=20)
    second = rb.match("texas_holdem", "holdem:call", "holdem:random", hands=20)
    assert first.as_dict() == second.as_dict()
