"""The spots under tests/data/poker: as another solver solved them, with its figures."""

import json
from pathlib import Path
from typing import Any

from riverboat.holdem.spots.spot import Spot

FOLDER = Path(__file__).parent.parent / "data" / "poker"


def reference(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"spot_{name}.json").read_text())
    return found


def head(data: dict[str, Any]) -> str:
    """Board, chips and ranges as TOML."""
    return (
        f'board = "{data["board"]}"\npot = {data["pot"]}\nstack = {data["stack"]}\n'
        f'[ranges]\noop = "{data["range_oop"]}"\nip = "{data["range_ip"]}"\n'
    )


def spot_from_lines(data: dict[str, Any]) -> Spot:
    return Spot.from_toml(f"{head(data)}[tree]\nlines = {json.dumps(data['lines'])}\n")


def spot_from_sizes(data: dict[str, Any], options: str = "") -> Spot:
    text = head(data)
    for street in ("flop", "turn", "river"):
        if f"oop.{street}" not in data["sizes_percent"]:
            continue
        text += f"[sizes.{street}]\n"
        for player in ("oop", "ip"):
            sizes = data["sizes_percent"][f"{player}.{street}"]
            more = ["a"] if sizes.get("allin") else []
            parts = [
                f'{key} = "{",".join([f"{size}%" for size in sizes[key]] + more)}"'
                for key in ("bet", "raise", "donk")
                if key in sizes
            ]
            text += f"{player} = {{ {', '.join(parts)} }}\n"
    return Spot.from_toml(f"{text}[tree]\n{options}\n")
