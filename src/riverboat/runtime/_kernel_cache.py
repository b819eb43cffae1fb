"""Where compiled kernels are found: in the package, if it came with them, else in Numba's cache.

A platform wheel (`make wheel`) has a folder `kernels` next to this file: every kernel that the
commands use, compiled for a family of processors (x86-64-v3: AVX2, FMA and BMI), for one minor
version of Python and of Numba. They are used where all of that fits and no NUMBA_ variable asks
for other code. Everywhere else, and for a kernel that is not there, Numba compiles as it always
does, and keeps the result next to the source file, or in the user's folder where that cannot be
written.

Two things differ from Numba's own cache. Each file begins with a checksum of the rest, so that a
damaged one leads to a compilation and not to an error, a crash or wrong numbers. And an entry is
stale when any module has changed that its source file imports: the code of those is compiled into
it.

The cache extends classes that Numba does not promise to keep. The range of versions that it was
written for stands below; for others, and where a class is gone, kernels have Numba's own cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pickle
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

FIRST_NUMBA, AFTER_NUMBA = (0, 60), (0, 69)
"""The minor versions of Numba from which, and before which, the classes imported here fit."""

try:
    from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
    from numba.core.compiler import CompileResult
except ImportError:
    AFTER_NUMBA = FIRST_NUMBA  # no version fits
    IndexDataCacheFile = object  # type: ignore[assignment,misc]

PACKAGE = Path(__file__).parent.parent
SHIPPED = Path(__file__).parent / "kernels"
FACTS = "kernels.json"
"""The file that says what a folder of kernels was compiled for."""
BUILD_VARIABLE = "RIVERBOAT_BUILD_KERNELS"
"""Names a folder that all kernels are read from and written to; set by `make wheel` alone."""
SAME_CODE = {
    f"NUMBA_{name}"
    for name in (
        "CACHE_DIR",
        "DEBUG_CACHE",
        "DISABLE_PERFORMANCE_WARNINGS",
        "NUM_THREADS",
        "THREADING_LAYER",
        "THREADING_LAYER_PRIORITY",
        "WARNINGS",
    )
}
"""Variables that change nothing in the compiled code."""
CHECKSUM_BYTES = hashlib.sha256().digest_size
_IMPORT = re.compile(rb"^(?:from|import) riverboat\.([\w.]+)", re.M)


Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def njit(function: Function) -> Function: ...


@overload
def njit(**options: Any) -> Callable[[Function], Function]: ...


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Numba's `njit`; with `cache=True` the kernel is kept and found as this module says."""
    if function is None:
        return functools.partial(njit, **options)
    cached = options.pop("cache", False)
    kernel = numba.njit(**options)(function)
    if not cached or not hasattr(kernel, "enable_caching"):  # compiling is turned off in Numba
        return kernel
    if is_known(numba.__version__):
        kernel._cache = KernelCache(function)
    else:
        with contextlib.suppress(RuntimeError):  # nowhere to write
            kernel.enable_caching()
    return kernel


def is_known(version: str) -> bool:
    """Whether this module was written for a version of Numba."""
    major, second = map(int, minor(version).split("."))
    return FIRST_NUMBA <= (major, second) < AFTER_NUMBA


class CheckedFiles(IndexDataCacheFile):
    """The index (.nbi) and the compiled versions (.nbc) of one function, each with a checksum.

    Numba's own files have none: a flipped bit in machine code would be run.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, entries = self._read(self._index_path)
        except (OSError, DamagedFileError):
            return {}
        fresh = (version, stamp) == (self._version, self._source_stamp)
        return entries if fresh else {}

    def _save_index(self, entries: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, entries))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))  # type: ignore[no-untyped-call]

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)  # type: ignore[no-untyped-call]

    def _read(self, path: str) -> Any:
        content = Path(path).read_bytes()
        checksum, data = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
        if hashlib.sha256(data).digest() != checksum:
            raise DamagedFileError(path)
        return pickle.loads(data)

    def _write(self, path: str, content: Any) -> None:
        data: bytes = self._dump(content)  # type: ignore[no-untyped-call]
        with self._open_for_write(path) as stream:
            stream.write(hashlib.sha256(data).digest() + data)


class DamagedFileError(Exception):
    """A file whose checksum is not that of its content."""


class KernelCache:
    """The compiled versions of one function, for Numba's dispatcher: by signature."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @functools.cached_property
    def own(self) -> Any:
        """Numba's cache of the function; made when it is first needed, since it probes the disk."""
        try:
            cache: Any = FunctionCache(self.function)  # type: ignore[no-untyped-call]
            stamp = source_stamp(Path(self.function.__code__.co_filename))
        except (OSError, RuntimeError):  # nowhere to write
            return NullCache()
        with contextlib.suppress(AttributeError, TypeError):  # else the files are Numba's own
            cache._cache_file = CheckedFiles(  # type: ignore[no-untyped-call]
                cache.cache_path, cache._impl.filename_base, stamp
            )
        return cache

    @functools.cached_property
    def shipped(self) -> Any:
        """The entries of the function in the folder of kernels, or None."""
        folder = kernel_folder()
        if folder is None:
            return None
        code = self.function.__code__
        name = f"{self.function.__module__}.{self.function.__qualname__}-{code.co_firstlineno}"
        stamp = source_stamp(Path(code.co_filename))
        entries: Any = CheckedFiles(str(folder), name, stamp)  # type: ignore[no-untyped-call]
        entries._version = minor(numba.__version__)
        return entries

    @property
    def cache_path(self) -> str | None:
        path: str | None = self.own.cache_path
        return path

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled version, or None if it has to be compiled."""
        target_context.refresh()
        try:
            if self.shipped is not None:
                data = self.shipped.load(self._key(signature))
                if data is not None:
                    return CompileResult._rebuild(  # type: ignore[no-untyped-call]
                        target_context, *data
                    )
        except Exception:
            pass
        try:
            return self.own.load_overload(signature, target_context)
        except Exception:  # written by another version of this program, or damaged
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled version; a disk that is full or damaged costs only the next start."""
        if BUILD_VARIABLE in os.environ:
            self.shipped.save(self._key(signature), compiled._reduce())
            return
        try:
            self.own.save_overload(signature, compiled)
        except Exception:
            try:
                self.own.flush()
                self.own.save_overload(signature, compiled)
            except Exception:
                return

    def _key(self, signature: Any) -> tuple[Any, bytes]:
        return signature, self.function.__code__.co_code

    def enable(self) -> None:
        self.own.enable()

    def disable(self) -> None:
        self.own.disable()

    def flush(self) -> None:
        self.own.flush()


@functools.cache
def kernel_folder() -> Path | None:
    """The folder of kernels that were compiled for this process, if there is one."""
    if BUILD_VARIABLE in os.environ:
        return Path(os.environ[BUILD_VARIABLE])
    try:
        facts = json.loads((SHIPPED / FACTS).read_text(encoding="utf-8"))
        return SHIPPED if fits(facts) else None
    except (OSError, ValueError, KeyError):
        return None


def fits(facts: dict[str, Any]) -> bool:
    """Whether kernels with these facts can run here, and nobody has asked for others."""
    if any(name.startswith("NUMBA_") and name not in SAME_CODE for name in os.environ):
        return False
    if any(facts[name] != value for name, value in platform_facts().items()):
        return False
    return set(facts["features"]) <= processor_features()


def platform_facts() -> dict[str, str]:
    """What compiled kernels depend on besides the processor."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
    return {
        "system": sys.platform,
        "machine": platform.machine(),
        "python": version,
        "numba": minor(numba.__version__),
    }


def processor_features() -> set[str]:
    """Names of the instruction sets that the processor and the operating system have."""
    from llvmlite import binding

    try:
        return {name for name, there in binding.get_host_cpu_features().items() if there}
    except RuntimeError:  # LLVM cannot say
        return set()


def minor(version: str) -> str:
    """0.68 of 0.68.1."""
    return ".".join(version.split(".")[:2])


@functools.cache
def source_stamp(path: Path, package: Path = PACKAGE) -> str:
    """A hash of a file and of all modules of the package that it imports, directly or not."""
    seen: dict[Path, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        text = file.read_bytes()
        seen[file] = hashlib.sha256(text).digest()
        for name in _IMPORT.findall(text):
            module = package.joinpath(*name.decode().split(".")).with_suffix(".py")
            if module.is_file():
                waiting.append(module)
    return hashlib.sha256(b"".join(sorted(seen.values()))).hexdigest()
