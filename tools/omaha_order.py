"""Makes the shipped order of four-card hands: equity against a random hand, exact.

    python tools/omaha_order.py          writes src/riverboat/cards/omaha_equities.npy

All 134,459 boards that differ by more than the names of suits, on each all 178,365 hands against
all that share no card with them: some six minutes of one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from riverboat.cards.omaha_order import compute_equities, different_boards, order_path, write_order


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=order_path())
    out: Path = parser.parse_args().out
    start = time.process_time()

    def report(done: int, total: int) -> None:
        if done % 10_000 == 0 or done == total:
            print(f"{done:,} of {total:,} boards, {time.process_time() - start:.0f} CPU s")

    write_order(out, compute_equities(*different_boards(), report))
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
