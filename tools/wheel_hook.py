"""Hatchling's hook: the guide's pages go into every wheel, compiled kernels into `make wheel`'s.

Without $RIVERBOAT_WHEEL_KERNELS, a folder of kernels, the wheel is for every platform; with it, it
names its own.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the pages, the folder and the tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":  # an editable install reads docs/ where it is
            for page in sorted(Path(self.root, "docs").glob("*.md")):
                place = f"riverboat/assistants/guide/{page.name}"
                build_data["force_include"][str(page)] = place
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
