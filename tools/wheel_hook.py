"""Hatchling's hook for `make wheel`: compiled kernels go into the wheel, which names its platform.

Without $RIVERBOAT_WHEEL_KERNELS, a folder of kernels, the wheel is plain and for every platform.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the folder and the tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = os.environ.get("RIVERBOAT_WHEEL_KERNELS")
        if not folder or version != "standard":
            return
        build_data["force_include"][folder] = "riverboat/runtime/kernels"
        build_data["pure_python"] = False
        build_data["tag"] = tag()


def tag() -> str:
    """One Python version and one kind of machine; kernels call no other library of the system."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
    system, _, machine = sysconfig.get_platform().partition("-")
    if system == "linux":
        place = f"manylinux_2_17_{machine}"
    elif system == "macosx":
        place = f"macosx_11_0_{machine.rpartition('-')[2]}"
    else:
        place = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-none-{place}"
