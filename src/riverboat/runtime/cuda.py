"""The GPU as solvers need it: memory, kernels compiled once and kept, launches, recorded passes.

CuPy keeps compiled kernels in a folder of its own, by their text; a second process finds them.
A kernel gets its arguments as one struct, its job: `JobLayout` describes it for CUDA and NumPy.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError

_RECORDING = threading.Lock()
"""While one thread records launches no other may load kernels or record."""
_PIECE = 1 << 24  # Numbers that are cut and fetched at a time
_KINDS = {"int": "i4", "long long": "i8"}
_HEAD = "typedef unsigned short u16;\ntypedef unsigned long long u64;\n"


@dataclass(frozen=True)
class JobLayout:
    """The arguments of kernels as one struct that is passed by value: C type → names of fields."""

    fields: Mapping[str, tuple[str, ...]]

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The struct for NumPy; what is no number is an address."""
        pairs = [
            (name, _KINDS.get(kind, "u8")) for kind, names in self.fields.items() for name in names
        ]
        return np.dtype(pairs, align=True)

    @property
    def text(self) -> str:
        """The struct's declaration."""
        lines = [f"  {kind} {name};" for kind, names in self.fields.items() for name in names]
        return _HEAD + "struct Job {\n" + "\n".join(lines) + "\n};\n"

    def make(self, fields: Mapping[str, Any], address: Callable[[Any], int]) -> Any:
        """A job with these fields; arrays become their address, what is left out is zero."""
        numbers = [0] * len(self._places)
        for name, value in fields.items():
            known = isinstance(value, (int, np.integer))
            numbers[self._places[name]] = int(value) if known else address(value)
        return np.frombuffer(bytearray(self._packed.pack(*numbers)), self.dtype).reshape(())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.dtype.names or ())}

    @cached_property
    def _packed(self) -> struct.Struct:
        """The same layout once more: packing all fields at once is quicker than one by one."""
        kinds = {"i4": "i", "i8": "q", "u8": "Q"}
        letters = [
            kinds[_KINDS.get(kind, "u8")] for kind, names in self.fields.items() for _ in names
        ]
        return struct.Struct("@" + "".join(letters) + "0Q")


def kernel_text(
    layout: JobLayout, package: str, *names: str, defines: Mapping[str, int], before: str = ""
) -> str:
    """The #defines, the struct, what all kernels share, and the named files of a package."""
    parts = [f"#define {name} {value}\n" for name, value in defines.items()]
    parts += [before, layout.text]
    parts.append(
        (resources.files("riverboat") / "runtime/kernel_head.cu").read_text(encoding="utf-8")
    )
    folder = resources.files(package)
    return "".join(parts + [(folder / name).read_text(encoding="utf-8") for name in names])


@dataclass(frozen=True)
class Launch:
    """One kernel with all its arguments."""

    kernel: str
    blocks: int
    threads: int
    shared: int  # Bytes of shared memory
    job: Any
    lane: int = 0
    """Launches of different lanes do not need each other; those of lane 0 need all before."""


class GpuDevice(Protocol):
    """What a GPU must do; tests have one that is none."""

    shared_limit: int  # Bytes of shared memory that a block may have
    multiprocessors: int

    def upload(self, array: NDArray[Any]) -> Any: ...

    def zeros(self, size: int, kind: Any) -> Any: ...

    def download(self, array: Any) -> NDArray[Any]: ...

    def download_rows(
        self, array: Any, wide: int, places: NDArray[np.int64], width: int
    ) -> NDArray[Any]:
        """(rows, width) from rows of `wide` numbers: those at `places` of each, then zeros."""

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Put values into an array of the device."""

    def address(self, array: Any) -> int: ...

    def free_memory(self) -> int: ...

    def compile(
        self, texts: Mapping[str, Sequence[str]], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Make kernels ready: text → their names. `progress` gets the number of texts done.

        A name stands for the kernel that was made ready last.
        """

    def ready(self, texts: Iterable[str]) -> bool:
        """Whether all kernels of some texts have been made ready."""

    def record(self, launches: Iterable[Launch]) -> Callable[[], None]:
        """Something to call that launches all of them in order."""

    def synchronize(self) -> None: ...


def current_gpu() -> int:
    """The number of the GPU that CudaDevice takes."""
    import cupy

    return int(cupy.cuda.Device().id)


class CudaDevice:
    """The current GPU through CuPy.

    With `exact` products and sums are rounded one by one, as on the CPU: the same bits.
    """

    def __init__(self, *, exact: bool = False) -> None:
        import cupy

        self.cupy = cupy
        self.options = ("-std=c++17", *(("--fmad=false",) if exact else ()))
        facts = cupy.cuda.Device().attributes
        self.shared_limit = int(facts["MaxSharedMemoryPerBlockOptin"])
        self.multiprocessors = int(facts["MultiProcessorCount"])
        self.shared_per_multiprocessor = int(facts["MaxSharedMemoryPerMultiprocessor"])
        self.threads_per_multiprocessor = int(facts["MaxThreadsPerMultiProcessor"])
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.side = [cupy.cuda.Stream(non_blocking=True) for _ in range(8)]
        self.kernels: dict[str, Any] = {}
        self._modules: dict[str, dict[str, Any]] = {}

    def upload(self, array: NDArray[Any]) -> Any:
        return self.cupy.asarray(np.ascontiguousarray(array))

    def zeros(self, size: int, kind: Any) -> Any:
        try:
            return self.cupy.zeros(max(1, size), kind)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise UsageError(f"The GPU's memory is full: {error}") from None

    def download(self, array: Any) -> NDArray[Any]:
        self.synchronize()
        return np.asarray(array.get())

    def download_rows(
        self, array: Any, wide: int, places: NDArray[np.int64], width: int
    ) -> NDArray[Any]:
        """Cut on the GPU, so that every byte comes once and lands where it stays."""
        self.synchronize()
        rows = array.reshape(-1, wide)
        host = np.empty((len(rows), width), array.dtype)
        step, kept = max(1, _PIECE // width), self.cupy.asarray(places)
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            piece = self.cupy.zeros((len(some), width), array.dtype)
            piece[:, : len(places)] = self.cupy.take(some, kept, axis=1)
            piece.get(out=host[first : first + step])
        return host

    def write(self, array: Any, values: NDArray[Any]) -> None:
        self.synchronize()
        array.set(np.ascontiguousarray(values))
        self.cupy.cuda.Stream.null.synchronize()

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def free_memory(self) -> int:
        kept = self.cupy.get_default_memory_pool().free_bytes()
        return int(self.cupy.cuda.runtime.memGetInfo()[0]) + int(kept)

    def compile(
        self, texts: Mapping[str, Sequence[str]], progress: Callable[[int, int], None] | None = None
    ) -> None:
        wanted = [program for program in texts.items() if program[0] not in self._modules]

        def build(program: tuple[str, Sequence[str]]) -> dict[str, Any]:
            text, names = program
            module = self.cupy.RawModule(code=text, options=self.options)
            return {name: module.get_function(name) for name in names}

        with _RECORDING, ThreadPoolExecutor(8) as pool:
            waiting = {pool.submit(build, program): program[0] for program in wanted}
            for done, finished in enumerate(as_completed(waiting), 1):
                self._modules[waiting[finished]] = finished.result()
                if progress is not None:
                    progress(done, len(wanted))
        for text in texts:
            self.kernels.update(self._modules[text])

    def ready(self, texts: Iterable[str]) -> bool:
        """Whether all kernels of some texts have been made ready."""
        return all(text in self._modules for text in texts)

    def record(self, launches: Iterable[Launch]) -> Callable[[], None]:
        """One CUDA graph."""
        # What was uploaded or cleared lies on CuPy's own stream.
        self.cupy.cuda.Stream.null.synchronize()
        # Attributes cannot be set while launches are recorded.
        kept = list(launches)
        for launch in kept:
            kernel = self.kernels[launch.kernel]
            if launch.shared > 48 * 1024:
                most = max(launch.shared, int(kernel.max_dynamic_shared_size_bytes))
                kernel.max_dynamic_shared_size_bytes = most
        with _RECORDING, self.stream:
            self.stream.begin_capture()
            busy: set[int] = set()
            for launch in kept:
                self._launch(launch, busy)
            self._join(busy)
            graph = self.stream.end_capture()
        return lambda: graph.launch(self.stream)

    def _launch(self, launch: Launch, busy: set[int]) -> None:
        stream = self.stream
        if launch.lane == 0:
            self._join(busy)
        else:
            stream = self.side[(launch.lane - 1) % len(self.side)]
            if launch.lane not in busy:
                event = self.cupy.cuda.Event(disable_timing=True)
                event.record(self.stream)
                stream.wait_event(event)
                busy.add(launch.lane)
        with stream:
            self.kernels[launch.kernel](
                (launch.blocks,), (launch.threads,), (launch.job,), shared_mem=launch.shared
            )

    def _join(self, busy: set[int]) -> None:
        """Let the main stream wait for the others."""
        for lane in busy:
            event = self.cupy.cuda.Event(disable_timing=True)
            event.record(self.side[(lane - 1) % len(self.side)])
            self.stream.wait_event(event)
        busy.clear()

    def synchronize(self) -> None:
        self.stream.synchronize()
