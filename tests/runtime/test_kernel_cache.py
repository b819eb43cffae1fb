"""Compiled kernels: which are used where, and that no bad entry of a cache ends in an error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import FunctionCache, IndexDataCacheFile

from riverboat.runtime._kernel_cache import (
    BUILD_VARIABLE,
    PACKAGE,
    CheckedFiles,
    DamagedFileError,
    KernelCache,
    fits,
    is_known,
    njit,
    platform_facts,
    processor_features,
    source_stamp,
)
from waiting import PATIENCE

KERNELS = """
from riverboat.runtime.compiled import njit

@njit(cache=True)
def total(pair):
    return pair.a + pair.b
"""
PROGRAM = """
from numba.core import event
from records import {name}
from sums import total

class Listener(event.Listener):
    count = 0
    def on_start(self, found):
        self.count += 1
    def on_end(self, found):
        pass

listener = Listener()
event.register("numba:compile", listener)
print(total({name}(1, 2)), listener.count)
"""


class Folder:
    """Three modules: a record, a kernel that takes it, and a program that counts compilations."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "sums.py").write_text(KERNELS)
        self.call_the_record("Pair")

    def call_the_record(self, name: str) -> None:
        record = (
            f"from typing import NamedTuple\nclass {name}(NamedTuple):\n    a: int\n    b: int\n"
        )
        (self.path / "records.py").write_text(record)
        (self.path / "program.py").write_text(PROGRAM.format(name=name))

    def run(self, **settings: str) -> str:
        """What the program prints: the sum, and how many kernels were compiled."""
        kept = {key: text for key, text in os.environ.items() if not key.startswith("NUMBA_")}
        found = subprocess.run(
            [sys.executable, "program.py"],
            cwd=self.path,
            env={**kept, "PYTHONPATH": str(PACKAGE.parent), **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert found.returncode == 0, found.stderr
        assert found.stderr == ""
        return found.stdout.strip()

    def entries(self, ending: str) -> list[Path]:
        return list(self.path.rglob(f"*{ending}"))


def flip(path: Path, place: int) -> None:
    """Flip one bit of a file, at byte `place`."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << (place % 8)
    path.write_bytes(content)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.mark.e2e
def test_a_kernel_is_compiled_once(folder: Folder) -> None:
    assert folder.run() == "3 1"
    assert folder.run() == "3 0"


@pytest.mark.e2e
def test_an_entry_with_a_type_that_is_gone_is_compiled_again(folder: Folder) -> None:
    assert folder.run() == "3 1"
    folder.call_the_record("Couple")
    assert folder.run() == "3 1"
    assert folder.run() == "3 0"


@pytest.mark.e2e
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_damaged_entry_is_compiled_again(folder: Folder, ending: str) -> None:
    assert folder.run() == "3 1"
    (entry,) = folder.entries(ending)
    length = entry.stat().st_size
    for damage in (lambda: flip(entry, length // 2), lambda: os.truncate(entry, length - 1)):
        damage()
        assert folder.run() == "3 1"
    assert folder.run() == "3 0"


def test_no_damaged_file_is_believed(tmp_path: Path) -> None:
    """A bit of every byte, and every shorter length, of a small index and a small entry."""
    files: Any = CheckedFiles(str(tmp_path), "kernel", "stamp")
    files.save("signature", ("machine code", 7))
    assert files.load("signature") == ("machine code", 7)
    for path in tmp_path.iterdir():
        whole = path.read_bytes()
        damaged = [whole[:length] for length in range(len(whole))]
        for place in range(len(whole)):
            flipped = bytearray(whole)
            flipped[place] ^= 1 << (place % 8)
            damaged.append(bytes(flipped))
        for content in (*damaged, whole + b"\0"):
            path.write_bytes(content)
            if path.suffix == ".nbi":
                assert files.load("signature") is None
            else:
                with pytest.raises(DamagedFileError):
                    files.load("signature")
        path.write_bytes(whole)
    assert files.load("signature") == ("machine code", 7)


@pytest.mark.e2e
def test_a_wheel_with_a_damaged_kernel_compiles_it(folder: Folder, tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    build = {BUILD_VARIABLE: str(kernels)}
    assert folder.run(**build) == "3 1"
    (entry,) = folder.entries(".nbc")
    flip(entry, entry.stat().st_size // 2)
    assert folder.run(**build) == "3 1"
    assert folder.run(**build) == "3 0"


@pytest.mark.e2e
def test_kernels_of_a_folder_serve_other_processors(folder: Folder, tmp_path: Path) -> None:
    """Compiled for a generic processor, found by a process that compiles for this one."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    build = {BUILD_VARIABLE: str(kernels)}
    assert folder.run(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", **build) == "3 1"
    assert {path.parent for path in folder.entries(".nbc")} == {kernels}
    assert folder.run(**build) == "3 0"


def test_a_kernel_without_a_place_for_its_cache_works() -> None:
    names: dict[str, Any] = {"njit": njit}
    exec("@njit(cache=True)\ndef twice(number):\n    return 2 * number\n", names)
    assert names["twice"](21) == 42


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="the user's folder is found otherwise there")
def test_a_read_only_installation_without_a_home_works(folder: Folder, tmp_path: Path) -> None:
    """Nothing can be kept: a file stands wherever a folder would be made, even for root."""
    (tmp_path / "__pycache__").write_text("")
    nowhere = str(tmp_path / "__pycache__" / "home")
    for _ in range(2):
        assert folder.run(HOME=nowhere, XDG_CACHE_HOME=nowhere) == "3 1"
    assert folder.entries(".nbc") == []


@pytest.mark.e2e
@pytest.mark.parametrize(
    "change",
    [
        "numba.__version__ = '0.59.1'",
        "numba.__version__ = '1.2.0'",
        "kept = caching.NullCache; del caching.NullCache\n"
        "import riverboat.runtime.compiled; caching.NullCache = kept",  # a class was gone for us
    ],
)
def test_another_numba_has_its_own_cache(folder: Folder, change: str) -> None:
    """Nothing is said, and a kernel is still compiled only once."""
    program = folder.path / "program.py"
    program.write_text(f"import numba\nfrom numba.core import caching\n{change}\n{PROGRAM}")
    program.write_text(program.read_text().replace("{name}", "Pair"))
    assert folder.run() == "3 1"
    assert folder.run() == "3 0"


def test_a_kernel_keeps_numbas_files_where_ours_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riverboat.runtime._kernel_cache.CheckedFiles", lambda: None)
    cache = KernelCache(flip).own
    assert isinstance(cache, FunctionCache)
    assert type(cache._cache_file) is IndexDataCacheFile


def test_the_numba_of_the_tests_is_in_the_range() -> None:
    pinned = (PACKAGE.parents[1] / "constraints.txt").read_text()
    version = re.search(r"^numba==(\S+)$", pinned, re.M)
    assert version is not None
    assert is_known(version[1])
    assert not is_known("0.59.1")
    assert not is_known("1.0.0rc1")


FACTS: dict[str, Any] = {**platform_facts(), "features": sorted(processor_features())}


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("NUMBA_"):
            monkeypatch.delenv(name)


@pytest.mark.usefixtures("no_settings")
def test_kernels_are_used_only_where_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fits(FACTS)
    assert fits({**FACTS, "features": []})
    assert not fits({**FACTS, "features": ["an instruction of tomorrow"]})
    for name in platform_facts():
        assert not fits({**FACTS, name: "another"}), name
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    assert fits(FACTS)


@pytest.mark.usefixtures("no_settings")
@pytest.mark.parametrize("name", ["NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT"])
def test_a_user_who_asks_for_other_code_gets_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "")
    assert not fits(FACTS)


def test_a_stamp_changes_with_every_module_that_is_compiled_in(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / "house").mkdir(exist_ok=True)
        after = {"one": "two", "two": "three", "three": "one"}[name]
        (tmp_path / f"house/{name}.py").write_text(f"from riverboat.house.{after} import x\n")
    path = tmp_path / "house/one.py"
    before = source_stamp(path, tmp_path)
    (tmp_path / "house/three.py").write_text("x = 2\n")
    source_stamp.cache_clear()
    assert source_stamp(path, tmp_path) != before


def test_every_kernel_has_this_cache() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "_kernel_cache.py":
            assert not re.search(r"^from numba import .*njit", text, re.M), path
            assert "numba.njit" not in text, path
