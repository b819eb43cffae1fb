"""`make wheel`: a wheel for this platform and Python version with every kernel compiled.

1. Run the tour (tools/kernel_tour.py) for a family of processors; Numba compiles what it needs.
2. Build the wheel with the compiled kernels (tools/wheel_hook.py).
3. Install it into an empty environment and run the tour again: nothing may be compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from kernel_tour import PARTS, unreached
from riverboat.blackjack.exact.best_chart import find_best_chart, keep_chart
from riverboat.blackjack.rules import PRESETS
from riverboat.cards.preflop import build_preflop_table
from riverboat.holdem.abstraction.preflop_store import FILE, write_preflop_table
from riverboat.runtime._kernel_cache import BUILD_VARIABLE, FACTS, platform_facts

ROOT = Path(__file__).parent.parent
X86_64_V3 = ["avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2"]
FAMILIES = {
    "x86_64": ("x86-64-v3", X86_64_V3),
    "AMD64": ("x86-64-v3", X86_64_V3),
    "arm64": ("apple-m1", []),
    "aarch64": ("generic", ["neon"]),
}
"""Machine → the processor that is compiled for, and the features that a processor must have."""
TOUR = Path(__file__).with_name("kernel_tour.py")


def compile_kernels(folder: Path) -> None:
    """Fill a folder with compiled kernels and with the facts that say where they can be used."""
    processor, features = FAMILIES[platform.machine()]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Without the user's own settings, which could ask for slower or other code.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    target = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    environment = kept | target | {BUILD_VARIABLE: str(folder)}
    subprocess.run([sys.executable, TOUR], env=environment, check=True)
    for name in (missing := unreached(ROOT / "src" / "riverboat", folder)):
        print("a kernel that no command of the tour needs:", name)
    if missing:
        sys.exit("Add commands to tools/kernel_tour.py, or a reason.")
    facts = {**platform_facts(), "processor": processor, "features": features}
    write_preflop_table(build_preflop_table(), folder / FILE)
    for rules in PRESETS.values():
        keep_chart(rules, *find_best_chart(rules), folder)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def build(folder: Path, out: Path) -> Path:
    """Build the wheel with this folder of kernels."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, str(ROOT)]
        environment = os.environ | {"RIVERBOAT_WHEEL_KERNELS": str(folder)}
        subprocess.run(command, env=environment, check=True)
        (wheel,) = Path(place).glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, out / wheel.name))


def check(wheel: Path) -> int:
    """Run the tour from the wheel in an empty environment; count what was compiled all the same."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
        clean = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("NUMBA_", "PYTHON", "RIVERBOAT_"))
        }
        subprocess.run([python, *install], env=clean, check=True)
        cache = place / "cache"  # every process, also of workers, keeps there what it compiles
        environment = clean | {"NUMBA_CACHE_DIR": str(cache)}
        parts = [subprocess.Popen([python, TOUR, part], env=environment) for part in PARTS]
        codes = [part.wait() for part in parts]
        if any(codes):
            sys.exit("A command of the tour failed.")
        compiled = sorted(path.name for path in cache.rglob("*.nbc"))
    for each in compiled:
        print("compiled although the wheel should have it:", each)
    return len(compiled)


def main() -> int:
    """Build and check, or check a wheel that was built before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=Path, default=ROOT / "build" / "kernels")
    parser.add_argument("--reuse", action="store_true", help="do not compile the kernels again")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--check", type=Path, metavar="WHEEL", help="only check this wheel")
    arguments = parser.parse_args()
    wheel = arguments.check
    if wheel is None:
        if not arguments.reuse:
            compile_kernels(arguments.kernels.resolve())
        wheel = build(arguments.kernels.resolve(), arguments.out)
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return int(check(wheel.resolve()) > 0)


if __name__ == "__main__":
    sys.exit(main())
