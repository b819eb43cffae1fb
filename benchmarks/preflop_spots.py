"""Well-known spots before the flop as a saved solution or book plays them: a table for comparison.

    python benchmarks/preflop_spots.py                  the book that comes with the package
    python benchmarks/preflop_spots.py headsup.rb       a solution of riverboat holdem preflop

A spot is a line of folds and the file's own smallest raises, so that files with other sizes have it
too; one that a file does not have is left out. Frequencies are those of all hands that get there.
They hold for the file's game, which is named first: its stacks, its sizes, its method.
"""

from __future__ import annotations

import argparse

from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution

RING = {
    "UTG opens": "",
    "BTN opens": "f f f",
    "SB opens": "f f f f",
    "BB against SB's open": "f f f f r",
    "BB against BTN's open": "f f f r f",
}
HEADS_UP = {
    "SB opens": "",
    "BB against SB's open": "r",
    "SB against a 3-bet": "r r",
    "BB against a limp": "c",
    "BB against a 4-bet": "r r r",
}


def spot(found: PreflopSolution, pattern: str) -> PreflopNode | None:
    """The decision after folds (f), calls (c) and smallest raises (r)."""
    line: tuple[str, ...] = ()
    for letter in pattern.split():
        if line not in found:
            return None
        actions = found.node(line).actions
        fitting = [word for word in actions if word[0] == letter]
        if not fitting and letter == "r" and "a" in actions:
            fitting = ["a"]
        if not fitting:
            return None
        line = (*line, fitting[0])
    return found.node(line) if line in found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default="shipped")
    options = parser.parse_args()
    found = PreflopSolution.load(options.file)
    info = found.info
    gains = ", ".join(
        f"{seat.upper()} {gain:.4f}" for seat, gain in zip(found.seats, info["gains"], strict=True)
    )
    print(f"{found.title}; {info['algorithm']}, {info['iterations']:,} iterations.")
    print(f"A best response gains ({info['unit']}): {gains}.\n")
    print("| spot | line | what is done |\n|---|---|---|")
    for name, pattern in (HEADS_UP if len(found.seats) == 2 else RING).items():
        node = spot(found, pattern)
        if node is not None:
            pairs = zip(node.labels, node.totals.tolist(), strict=True)
            done = ", ".join(f"{label} {100 * share:.1f} %" for label, share in pairs)
            print(f"| {name} | `{node.name}` | {done} |")


if __name__ == "__main__":
    main()
