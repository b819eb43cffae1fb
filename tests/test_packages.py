"""What the rooms of the core export: a few names each, loaded when they are first used."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PACKAGES = ("arena", "cards", "evaluation", "games", "players", "solvers", "strategies", "trees")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_says_what_it_is_for_and_has_every_name_it_lists(name: str) -> None:
    package = importlib.import_module(f"riverboat.{name}")
    assert package.__doc__
    assert package.__all__
    for public in package.__all__:
        assert getattr(package, public) is not None


def test_a_function_may_have_the_name_of_its_module() -> None:
    module = importlib.import_module("riverboat.solvers.solve")
    from riverboat.solvers import Limit, solve
    from riverboat.solvers.solve import solve as defined

    assert solve is defined is vars(module)["solve"]
    assert Limit(iterations=3).iterations == 3


@pytest.mark.e2e
def test_importing_the_packages_loads_neither_numpy_nor_numba() -> None:
    imports = ", ".join(f"riverboat.{name}" for name in PACKAGES)
    code = f"import sys, {imports}; assert not {{'numpy', 'numba'}} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
