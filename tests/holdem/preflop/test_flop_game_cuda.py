"""A game before the flop on an emulated GPU: a run that was stopped goes on exactly."""

from pathlib import Path

import numpy as np
import pytest

from emulated_device import EmulatedDevice
from riverboat.errors import UsageError
from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.flop_solver import FlopGameSolver, open_checkpoint
from riverboat.holdem.spots.bet_sizes import PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.flops import Flop
from riverboat.strategies.files import read_arrays

pytestmark = pytest.mark.e2e

SPEC = {"stacks": 3}


@pytest.fixture(scope="module")
def game() -> FlopGame:
    """All-in is the only bet, on one flop of one suit: a tree that an emulator can go through."""
    all_in = PlayerSizes(parse_sizes("a", "a test"), parse_sizes("a", "a test", raises=True))
    return FlopGame(
        (Flop((34, 18, 6), 1.0),),
        stacks=(3.0, 3.0),
        raises={"open": all_in.raises, "iso": all_in.raises},
        sizes={"flop": (all_in, all_in)},
        tree=TreeOptions(raises=1),
    )


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"), level="-O1")


def made(game: FlopGame, device: EmulatedDevice | None, *, int16: bool) -> FlopGameSolver:
    order = np.linspace(0.7, 0.3, 169)
    equities = np.asarray(0.5 + (order[:, None] - order[None, :]) / 2)
    name = "cpu" if device is None else "cuda"
    return FlopGameSolver(game, equities, int16=int16, device=name, gpu=device)


@pytest.mark.parametrize(
    "int16",
    [pytest.param(False, marks=pytest.mark.slow, id="float32"), pytest.param(True, id="16-bit")],
)
def test_a_checkpoint_goes_on_exactly(
    int16: bool, game: FlopGame, device: EmulatedDevice, tmp_path: Path
) -> None:
    held, end, again = (tmp_path / name for name in ("held.rb", "end.rb", "again.rb"))
    whole = made(game, device, int16=int16)
    whole.advance(1)
    whole.save_checkpoint(held, SPEC)
    whole.advance(1)
    whole.save_checkpoint(end, SPEC)
    stated = whole.size.checkpoint_bytes(int16=int16)
    assert held.stat().st_size == pytest.approx(stated, rel=0.01)
    second = made(game, device, int16=int16)
    second.restore(open_checkpoint(held, SPEC, "cuda"))
    assert second.iterations == 1
    second.advance(1)
    second.save_checkpoint(again, SPEC)
    found, wanted = (read_arrays(path, "preflop-checkpoint")[0] for path in (again, end))
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    assert any(values.any() for name, values in wanted.items() if "averages.0.0" not in name)
    if int16:
        with pytest.raises(UsageError, match="resume it with the device cuda"):
            open_checkpoint(held, SPEC)
        return
    # Numbers of four bytes are the CPU's: it goes on from them, and comes to nearly the same.
    on_cpu = made(game, None, int16=False)
    on_cpu.restore(open_checkpoint(held, SPEC))
    on_cpu.advance(1)
    for index, averages in whole.averages.items():
        np.testing.assert_allclose(on_cpu.averages[index], averages, atol=1e-4)
