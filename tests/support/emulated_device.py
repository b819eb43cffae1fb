"""A device that runs kernels for a GPU on the CPU, with the C++ compiler in place of CUDA's."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from riverboat.holdem.spots.solver import SpotSolver
from riverboat.runtime.cuda import Launch

COMPILER = shutil.which("g++") or shutil.which("c++")
HEADER = Path(__file__).with_name("emulated_cuda.h")


class EmulatedDevice:
    shared_limit = 227 * 1024
    multiprocessors = 2

    def __init__(self, folder: Path, *, free: int = 1 << 34, level: str = "-O0") -> None:
        """`level` is the compiler's: -O1 compiles longer and runs several times as fast."""
        if COMPILER is None:
            pytest.skip("there is no C++ compiler")
        self.folder, self.free, self.level = folder, free, level
        self.kernels: dict[str, Any] = {}
        self.modules: dict[str, dict[str, Any]] = {}
        self.launched: list[str] = []

    def upload(self, array: NDArray[Any]) -> Any:
        return np.array(array)

    def zeros(self, size: int, kind: Any) -> Any:
        return np.zeros(max(1, size), kind)

    def download(self, array: Any) -> NDArray[Any]:
        return np.array(array)

    def download_rows(
        self, array: Any, wide: int, places: NDArray[np.int64], width: int
    ) -> NDArray[Any]:
        rows = np.array(array).reshape(-1, wide)
        found = np.zeros((len(rows), width), rows.dtype)
        found[:, : len(places)] = rows[:, places]
        return found

    def write(self, array: Any, values: NDArray[Any]) -> None:
        array[...] = values.reshape(array.shape)

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def free_memory(self) -> int:
        return self.free

    def compile(
        self, texts: Mapping[str, Sequence[str]], progress: Callable[[int, int], None] | None = None
    ) -> None:
        # Kernels that begin with the same text are compiled together: most of the time goes there.
        heads: dict[str, list[tuple[str, str]]] = {}
        for text in texts:
            if text not in self.modules:
                place = text.find("BOUNDED(river_")
                head, body = (text, "") if place < 0 else (text[:place], text[place:])
                heads.setdefault(head, []).append((body, text))
        for head, parts in heads.items():
            whole = head + "".join(body for body, _ in parts)
            names = [name for _, text in parts for name in texts[text]]
            built = self._build(whole, names)
            for _, text in parts:
                self.modules[text] = {name: built[name] for name in texts[text]}
        for done, text in enumerate(texts, 1):
            self.kernels.update(self.modules[text])
            if progress is not None:
                progress(done, len(texts))

    def ready(self, texts: Iterable[str]) -> bool:
        return all(text in self.modules for text in texts)

    def _build(self, text: str, names: Sequence[str]) -> dict[str, Any]:
        source = self.folder / f"kernels{len(list(self.folder.iterdir()))}.cpp"
        library = source.with_suffix(".so")
        source.write_text(f'#define HOST 1\n#include "{HEADER}"\n{text}')
        command = [str(COMPILER), self.level, "-w", "-shared", "-fPIC", "-U_FORTIFY_SOURCE"]
        subprocess.run([*command, "-o", str(library), str(source)], check=True)
        loaded = ctypes.CDLL(str(library))
        return {name: getattr(loaded, name) for name in names}

    def record(self, launches: Iterable[Launch]) -> Callable[[], None]:
        kept = [(launch, self.kernels[launch.kernel]) for launch in launches]

        def play() -> None:
            for launch, kernel in kept:
                assert launch.shared <= self.shared_limit
                self.launched.append(launch.kernel)
                job = launch.job.ctypes.data_as(ctypes.c_void_p)
                kernel(job, launch.blocks, launch.threads)

        return play

    def synchronize(self) -> None:
        pass


def gpu_passes(solver: SpotSolver) -> Any:
    """The passes of a solver on a GPU, with what only tests look into: launches and numbers."""
    return solver.passes
