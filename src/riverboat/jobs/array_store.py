"""A folder that keeps arrays of numbers, one file per job, for runs that are stopped and go on.

    run/work.json        what the results depend on, as a digest and in words
    run/0-32.npz         the result of a job

Each file is written whole or not at all, and its checksum is verified when it is read. One that is
damaged counts as missing, and its job is done again.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import StorageError, UsageError
from riverboat.runtime.storage import atomic_write

MARK = "work.json"
HEADER_BYTES = 1024  # What stands before the numbers of an array in NumPy's format, at most


class ArrayStore:
    """Results by job; `shape` is that of one job's result."""

    def __init__(
        self,
        folder: str | Path,
        what: dict[str, Any],
        shape: Callable[[Any], tuple[int, ...]],
        name: Callable[[Any], str],
    ) -> None:
        """Make the folder, or see that it is one for `what`: all that results depend on, but for
        the job.
        """
        self.folder, self._shape, self._name = Path(folder), shape, name
        digest = digest_of(what)
        mark = self.folder / MARK
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            known = json.loads(mark.read_text(encoding="utf-8"))["digest"] if mark.exists() else ""
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise StorageError(f"Cannot keep results in {folder}: {error}.") from error
        if not known:
            atomic_write(mark, json.dumps({"digest": digest, "what": what}))
        elif known != digest:
            raise UsageError(
                f"{folder} keeps results of other settings or another seed; take another folder."
            )

    def find(self, job: Any) -> NDArray[Any] | None:
        shape = self._shape(job)
        try:
            data = io.BytesIO(self._path(job).read_bytes())
            with zipfile.ZipFile(data) as packed:
                size = packed.getinfo("result.npy").file_size
            if size > HEADER_BYTES + 8 * math.prod(shape):  # it would be unpacked before its shape
                return None
            with np.load(data, allow_pickle=False) as stored:
                array: NDArray[Any] = stored["result"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        except (NotImplementedError, RuntimeError, MemoryError, TypeError, AttributeError):
            return None  # what zip files can ask for, and ours never do
        fits = array.shape == shape and array.dtype.kind in "if"
        return array if fits and bool(np.isfinite(array).all()) else None

    def keep(self, job: Any, result: NDArray[Any]) -> None:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, result=result)
        atomic_write(self._path(job), buffer.getvalue())

    def _path(self, job: Any) -> Path:
        return self.folder / f"{self._name(job)}.npz"


def digest_of(what: Any) -> str:
    """Of plain records; arrays in them count whole."""
    with np.printoptions(threshold=sys.maxsize):
        return hashlib.sha256(repr(what).encode()).hexdigest()


def file_digests(texts: Sequence[str]) -> list[str]:
    """Of the files that are named in players' texts, whole or after a colon; empty for others."""
    digests = []
    for text in texts:
        places = [Path(text), Path(text.partition(":")[2] or text)]
        try:
            path = next((file for file in places if file.is_file()), None)
            data = b"" if path is None else path.read_bytes()
        except (OSError, ValueError):
            data = b""
        digests.append(hashlib.sha256(data).hexdigest() if data else "")
    return digests
