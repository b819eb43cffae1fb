"""Which solver a device has for spots of two players and of three."""

from __future__ import annotations

from riverboat.holdem.spots.solver import SpotSolver
from riverboat.holdem.spots.three_way_solver import ThreeWaySolver


def solver_kind(device: str) -> type[SpotSolver]:
    """The solver of spots for two on a device, "cpu" or "cuda"."""
    if device == "cpu":
        return SpotSolver
    from riverboat.holdem.spots.cuda.gpu_solver import CudaSpotSolver

    return CudaSpotSolver


def three_way_kind(device: str) -> type[ThreeWaySolver]:
    """The same for three."""
    if device == "cpu":
        return ThreeWaySolver
    from riverboat.holdem.spots.cuda.three_way_solver import CudaThreeWaySolver

    return CudaThreeWaySolver
