"""Spots of all kinds by number: boards, ranges, sizes, rake and locks at random."""

from __future__ import annotations

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import build_tree

SIZES = ("33%", "50%", "75%", "100%", "150%", "a", "40%,120%", "30%,60%,a")
RAISES = ("60%", "a", "3x", "50%,a")


def random_spot(seed: int, *, street: int | None = None, classes: int = 14) -> Spot:
    """The spot of a number; `street` 0 is a flop, and `classes` how many classes a range has."""
    rng = np.random.default_rng(seed)
    if street is None:
        street = int(rng.choice(3, p=[0.06, 0.44, 0.5]))
    board = rng.choice(52, 3 + street, replace=False)
    pot = int(rng.integers(10, 60))
    small = street == 0 and classes == 14
    stack = int(rng.integers(8, 20)) if small else int(rng.integers(10, 120))
    ranges = []
    for _ in range(2):
        some = rng.choice(len(CLASS_NAMES), 4 if small else classes, replace=False)
        shares = rng.choice([1.0, 1.0, 1.0, 0.5, 0.25], len(some))
        parts = [f"{CLASS_NAMES[i]}:{w:g}" for i, w in zip(some, shares, strict=True)]
        ranges.append(",".join(parts))
    bets = SIZES[3:6] if street == 0 else SIZES
    sizes = [f'{{ bet = "{rng.choice(bets)}", raise = "{rng.choice(RAISES)}" }}' for _ in range(2)]
    name = ("flop", "turn", "river")[street]
    text = (
        f'board = "{" ".join(card_text(int(card)) for card in board)}"\npot = {pot}\n'
        f'stack = {stack}\n[ranges]\noop = "{ranges[0]}"\nip = "{ranges[1]}"\n'
        f"[sizes.{name}]\noop = {sizes[0]}\nip = {sizes[1]}\n[tree]\nraises = 3\n"
    )
    if rng.random() < 0.3:
        text += f"[rake]\nrate = {rng.choice([0.03, 0.05])}\ncap = {rng.integers(1, 6)}\n"
    return Spot.from_toml(text)


def random_locks(spot: Spot, seed: int) -> list[Lock]:
    """Every third spot has its root, and every sixth IP's answer to a check, told what to play."""
    found = []
    tree = build_tree(spot)
    root = tree.nodes[0]
    if seed % 3 == 0:
        names = [action.words for action in root.actions]
        found.append(Lock("r:0", {names[0]: 0.75, names[-1]: 0.25}))
    if seed % 6 == 0:
        answer = tree.child(root, "check")
        found.append(Lock("r:0:c", {answer.actions[0].words: 1.0}))
    return found
