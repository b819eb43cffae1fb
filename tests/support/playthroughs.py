"""Random playthroughs of a game as text: what every state says, line by line.

`python tests/support/playthroughs.py` writes the golden files of games that have none yet.
"""

from __future__ import annotations

import random
from pathlib import Path

from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.games.registry import GAMES, make_game

GOLDEN = Path(__file__).parent.parent / "golden" / "playthroughs"


def playthrough(game: Game, seed: int) -> list[str]:
    """One play with uniformly random choices, chance's included."""
    generator = random.Random(seed)
    state, lines = game.start(), [f"seed {seed}"]
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            outcomes = [action for action, _ in state.chance()]
            action = generator.choice(outcomes)
            lines.append(f"chance of {len(outcomes)}: {action}")
        else:
            actions = list(state.actions())
            action = generator.choice(actions)
            key = state.infoset(state.actor)
            lines.append(f"player {state.actor} at {key!r} of {' '.join(actions)}: {action}")
        state = state.after(action)
    shown = " ".join(f"{value:g}" for value in state.returns())
    return [*lines, f"end: {state.describe(None)}", f"returns: {shown}"]


def golden_text(name: str) -> str:
    """The text of a game's golden file: five plays at its default parameters."""
    game = make_game(name)
    return "\n".join(line for seed in range(5) for line in playthrough(game, seed)) + "\n"


if __name__ == "__main__":
    for name in GAMES:
        path = GOLDEN / f"{name}.txt"
        if not path.exists():
            path.write_text(golden_text(name))
