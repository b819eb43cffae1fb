"""Which passes a device has for a spot, and what reads its values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from riverboat.errors import UsageError
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.passes import Passes, Reader
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.solvers.algorithms import AVERAGE


def device_layout(
    spot: Spot | Layout,
    *,
    device: str,
    memory: int | None,
    isomorphism: bool,
    options: dict[str, Any],
) -> tuple[int | None, Layout]:
    """The memory allowed on a device, and the layout of a spot as the device takes it.

    Of a GPU's `options` the device `gpu` is filled in where it is missing.
    """
    chunk_bytes: int | None = None
    if device != "cpu":
        _refuse_on_gpu(spot.spot if isinstance(spot, Layout) else spot)
        from riverboat.runtime.cuda import CudaDevice

        gpu = options.setdefault("gpu", None) or CudaDevice()
        options["gpu"] = gpu
        free = gpu.free_memory()
        memory, chunk_bytes = free if memory is None else min(memory, free), 0
    if isinstance(spot, Layout):
        fits = device == "cpu" or spot.chunk_bytes == chunk_bytes
        return memory, spot if fits else dataclasses.replace(spot, chunk_bytes=chunk_bytes)
    return memory, open_layout(
        spot, isomorphism=isomorphism, chunk_bytes=chunk_bytes, memory=memory
    )


def _refuse_on_gpu(spot: Spot) -> None:
    """Refuse what only the CPU's kernels know."""
    two = spot.game == "holdem" and spot.num_players == 2
    if two and (spot.dead or spot.payouts is not None):
        what = "dead cards" if spot.dead else "payouts"
        raise UsageError(f"A spot with {what} is solved on the CPU only, not on a GPU.")


def open_reader(layout: Layout, averages: Sequence[PlayerStorage], mode: int = AVERAGE) -> Reader:
    """The reader of a layout's averages, on the CPU; in BEST of best responses to them."""
    if layout.num_players == 2:
        from riverboat.holdem.spots.two_way_passes import StreetReader

        return StreetReader(layout, averages, mode)
    from riverboat.holdem.spots._three_way_passes import PartReader

    return PartReader(layout, averages, mode)


def open_passes(
    layout: Layout,
    *,
    device: str = "cpu",
    locks: Sequence[PlacedLock] = (),
    choice: FirstChoice | None = None,
    threads: int = 1,
    memory: int | None = None,
    int16: bool | None = None,
    **of_device: Any,
) -> Passes:
    """The passes of a layout on a device; refused where they do not fit in the memory.

    Args:
        layout: The spot.
        device: "cpu" or "cuda".
        locks: Nodes whose strategy is given.
        choice: What one player may do before the spot begins.
        threads: Threads for the boards of the second street, on the CPU.
        memory: Bytes allowed; numbers become 16-bit where that is needed and possible.
        int16: Whether numbers have two bytes instead of four; by default the memory decides.
        of_device: Options of a GPU's passes.
    """
    passes = _kind(device, layout.num_players, layout.spot.game)
    opened: Passes = passes(
        layout, locks=locks, choice=choice, threads=threads, memory=memory, int16=int16, **of_device
    )
    return opened


def _kind(device: str, num_players: int, game: str) -> Callable[..., Passes]:
    # Numba and CUDA are loaded by those who use them.
    if device == "cpu" and num_players == 2:
        from riverboat.holdem.spots.two_way_passes import TwoWayPasses

        return TwoWayPasses
    if device == "cpu":
        from riverboat.holdem.spots._three_way_passes import ThreeWayPasses

        return ThreeWayPasses
    if game == "omaha":
        from riverboat.holdem.spots.cuda.subset_passes import CudaSubsetPasses

        return CudaSubsetPasses
    if num_players == 2:
        from riverboat.holdem.spots.cuda.two_way_passes import CudaTwoWayPasses

        return CudaTwoWayPasses
    from riverboat.holdem.spots.cuda.three_way_passes import CudaThreeWayPasses

    return CudaThreeWayPasses
