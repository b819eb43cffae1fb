"""What a long computation can run on: the CPU, or a GPU through CuPy (extra `gpu`).

choose_device("auto")      "cuda" where a GPU can be used, else "cpu"
list_devices()             all of them, with their memory
"""

from __future__ import annotations

import os
import platform
import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from riverboat.errors import UnknownNameError, UsageError, how_to_install

DEVICES = ("auto", "cpu", "cuda")
_SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d\d?)?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)
_POWERS = {"": 3, "k": 1, "m": 2, "g": 3, "t": 4}


@dataclass(frozen=True)
class Device:
    """Something that computes."""

    name: str  # As `--device` takes it
    title: str
    cores: int  # CPU threads, or multiprocessors
    memory: int | None  # Bytes

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@cache
def why_no_gpu() -> str:
    """Why no GPU can be used, in a sentence; empty where one can."""
    try:
        import cupy
    except ImportError:
        return f"CuPy is not installed: {how_to_install('gpu')}."
    except Exception as error:
        return f"CuPy cannot be loaded: {error}."
    try:
        num_gpus = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:
        return f"CuPy finds no working CUDA driver: {error}."
    return "" if num_gpus else "CuPy finds no GPU."


def choose_device(wanted: str) -> str:
    """ "cpu" or "cuda"; a GPU that is wanted and not there is refused with the reason."""
    if wanted not in DEVICES:
        raise UnknownNameError.among("device", wanted, DEVICES)
    if wanted == "cpu":
        return "cpu"
    reason = why_no_gpu()
    if wanted == "cuda" and reason:
        raise UsageError(f"There is no GPU to compute on. {reason}")
    return "cpu" if reason else "cuda"


def list_devices() -> tuple[Device, ...]:
    """The CPU, then every GPU."""
    title = platform.processor() or platform.machine()
    devices = [Device("cpu", title, os.cpu_count() or 1, machine_memory())]
    if not why_no_gpu():
        import cupy

        for number in range(int(cupy.cuda.runtime.getDeviceCount())):
            facts = cupy.cuda.runtime.getDeviceProperties(number)
            name = facts["name"].decode(errors="replace")
            cores, memory = int(facts["multiProcessorCount"]), int(facts["totalGlobalMem"])
            devices.append(Device("cuda", name, cores, memory))
    return tuple(devices)


def machine_memory() -> int | None:
    """Bytes of memory that this machine has; None where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def free_memory() -> int | None:
    """Bytes that programs could still take on this machine; None where it does not say."""
    try:
        available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return 1024 * int(available[1]) if available else None


def parse_memory(text: str) -> int:
    """Return the bytes of "4GiB", "800 MB" or "4" (GiB)."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or float(match[1]) <= 0:
        raise UsageError(f"{text!r} is no amount of memory; write for example 4GiB or 800MB.")
    decimal = (match[3] or "ib").lower() == "b" and match[2]
    return int(float(match[1]) * (1000 if decimal else 1024) ** _POWERS[match[2].lower()])
