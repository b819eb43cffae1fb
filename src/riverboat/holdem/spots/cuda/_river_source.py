"""The betting tree of a river as a kernel sees it: its shape, its states, and what is met in each.

River roots whose trees have the same shape share a kernel. A state is a sequence of the opponent's
actions; what a hand meets there is counted where there is a showdown, and follows elsewhere.

`RiverText` writes the text of a kernel: where its numbers lie, and how each hand's values go up the
tree. What a thread reads of its own is staged in shared memory (`stage` has an "o") or prefetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from riverboat.holdem.spots.cuda._device_tables import STARTS, list_size_of
from riverboat.holdem.spots.tree import NodeKind, SpotTree

Shape = tuple[Any, ...]
"""("own" | "their", children) for who acts, ("fold", whether the learner folds), or ("end",)."""
TYPES = {1: "float", 2: "float2", 3: "float4", 4: "float4"}
FLOATS = {1: 1, 2: 2, 3: 4, 4: 4}
"""Number of states together → the type that holds them, and its size."""


def shape_of(tree: SpotTree, root: int, learner: int) -> Shape:
    """The tree below a river root as a learner sees it."""
    node = tree.nodes[root]
    if node.kind == NodeKind.DECISION:
        children = tuple(shape_of(tree, child, learner) for child in node.children)
        return ("own" if node.player == learner else "their", children)
    return ("fold", node.player == learner) if node.kind == NodeKind.FOLD else ("end",)


def terminals_of(tree: SpotTree, root: int) -> list[int]:
    """The ends below a river root, in the order of `shape_of`."""
    node = tree.nodes[root]
    if node.kind != NodeKind.DECISION:
        return [root]
    return [end for child in node.children for end in terminals_of(tree, child)]


@dataclass
class Outline:
    """A shape with names: states are the ways the opponent can have played, 0 at the root."""

    own_rows: int = 0
    their_rows: int = 0
    num_states: int = 1
    num_ends: int = 0
    splits: list[tuple[int, list[int], int, bool]] = field(default_factory=list)
    """The player's nodes: state before, states after, first row, whether the first action is a
    fold."""
    shown: list[int] = field(default_factory=list)
    """States with a showdown: what is met there is counted."""
    tree: Any = None


def outlined(shape: Shape) -> Outline:
    """A shape with names for its rows, states and ends."""
    outline = Outline()

    def walk(part: Shape, state: int) -> Any:
        if part[0] == "own":
            row = outline.own_rows
            outline.own_rows += len(part[1])
            return ("own", row, [walk(child, state) for child in part[1]])
        if part[0] == "their":
            row = outline.their_rows
            after = list(range(outline.num_states, outline.num_states + len(part[1])))
            outline.their_rows += len(after)
            outline.num_states += len(after)
            outline.splits.append((state, after, row, part[1][0][0] == "fold"))
            below = [walk(child, to) for child, to in zip(part[1], after, strict=True)]
            return ("their", below)
        end = outline.num_ends
        outline.num_ends += 1
        if part[0] == "end" and state not in outline.shown:
            outline.shown.append(state)
        return (*part[:2], end, state) if part[0] == "fold" else ("end", end, state)

    outline.tree = walk(shape, 0)
    return outline


def opponent_reach_of(outline: Outline) -> dict[int, dict[int, int]]:
    """For each state what is met there as a sum of what is met where there are showdowns."""
    known: dict[int, dict[int, int]] = {state: {state: 1} for state in outline.shown}

    def add(parts: list[tuple[dict[int, int], int]]) -> dict[int, int]:
        total: dict[int, int] = {}
        for part, sign in parts:
            for state, count in part.items():
                total[state] = total.get(state, 0) + sign * count
        return {state: count for state, count in total.items() if count}

    def mass(state: int) -> dict[int, int]:
        if state not in known:
            for before, after, _, folds in outline.splits:
                if folds and state == after[0]:
                    rest = [(mass(other), -1) for other in after[1:]]
                    known[state] = add([(mass(before), 1), *rest])
                    return known[state]
            # Some node without a fold splits this state into what has showdowns.
            after = next(split[1] for split in outline.splits if split[0] == state and not split[3])
            known[state] = add([(mass(split), 1) for split in after])
        return known[state]

    for state in range(outline.num_states):
        mass(state)
    return known


class RiverText:
    """The lines of one kernel so far, and where its parts lie in shared memory."""

    def __init__(
        self,
        outline: Outline,
        learn: bool,
        raked: bool,
        sizes: tuple[int, int],
        threads: int,
        roots: int,
        batch: int,
        stage: str,
    ) -> None:
        self.outline, self.learn, self.raked, self.roots = outline, learn, raked, roots
        self.threads, self.stage = threads, stage
        self.wide, self.far = (-(-size // 32) * 32 for size in sizes)
        self.own_turns, self.their_turns = (-(-size // threads) for size in (self.wide, self.far))
        self.spaces, self.listed = self.far + 4, (2 * self.far + 59) & ~7
        self.opponent_reach = opponent_reach_of(outline)
        self.states = [(root, state) for root in range(roots) for state in outline.shown]
        self.groups = [self.states[i : i + 4] for i in range(0, len(self.states), 4)]
        self.batch = min(batch, len(self.groups))
        self._lay_out()
        self.lines: list[str] = []
        self.names = 0

    @property
    def registers(self) -> int:
        per_turn = len(self.states) * (3 if self.raked else 2)
        below = self.outline.num_states * self.roots
        return max(per_turn * self.own_turns, below)

    def _lay_out(self) -> None:
        """Where everything lies in shared memory, in bytes."""
        outline, roots = self.outline, self.roots
        slots = [self._slot_floats(slot) for slot in range(self.batch)]
        at = 0
        self.at: dict[str, int] = {}
        for slot, floats in enumerate(slots):
            for name, count in (("s", self.spaces), ("c", self.listed), ("t", 52)):
                self.at[f"{name}{slot}"] = at
                at += 4 * floats * count
        if "t" in self.stage:
            # What the opponent has is read before anything is summed up.
            self.at["theirs"] = 0
            at = max(at, 4 * roots * outline.their_rows * self.far)
        for number, group in enumerate(self.groups):
            self.at[f"v{number}"] = at
            at += 4 * FLOATS[len(group)] * self.spaces
        self.at["own"] = at
        if "o" in self.stage:
            at += 4 * roots * outline.own_rows * self.wide
        self.at["list"] = at
        at += 2 * list_size_of(self.far)
        self.at["starts"] = at
        at += 2 * STARTS
        self.at["bars"] = at
        self.at["amounts"] = at + 16
        self.shared = at + 16 + 4 * (3 * outline.num_ends * roots + 4)

    def _slot_floats(self, slot: int) -> int:
        return max(FLOATS[len(group)] for group in self.groups[slot :: self.batch])

    def put(self, line: str) -> None:
        self.lines.append(line)

    def within(self, wide: int, turns: int) -> str:
        return "true" if self.threads * turns == wide else f"h < {wide}"

    def own(self, root: int, row: int) -> str:
        if "o" in self.stage:
            offset = (root * self.outline.own_rows + row) * self.wide
            kind = "Learned" if self.learn else "Kept"
            held = f"((const {kind}*)(shared_bytes + {self.at['own']}))[{offset} + h]"
            return f"known({held})" if self.learn else f"kept({held})"
        if self.learn:
            return f"known(regrets{root}[{row * self.wide} + h])"
        return f"kept(averages{root}[{row * self.wide} + h])"

    def weight(self, which: int) -> str:
        """One of the iteration's weights."""
        return f"amounts[{3 * self.outline.num_ends * self.roots + which}]"

    def up(self) -> None:
        put = self.put
        if self.outline.own_rows and "o" in self.stage:
            put("await(bars + 1);")
        if self.learn:
            put(f"const float up = {self.weight(0)}, down = {self.weight(1)};")
            put(f"const float stay = {self.weight(2)}, add = {self.weight(3)};")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.own_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        for q in range(self.roots):
            offset = f"((size_t)root{q}.w * j.num_boards + board) * {self.wide} + h"
            put(f"float* value{q} = j.root_values + {offset};")
        put("if ((record[turn].x & 0xFFFF) != NOWHERE) {")
        rows = self.outline.own_rows
        if self.learn and rows:
            # All reads are on their way before the first write.
            put(f"float old[{rows * self.roots}];")
            put("if (add > 0.0f) {")
            for q in range(self.roots):
                for row in range(rows):
                    put(f"old[{q * rows + row}] = kept(averages{q}[{row * self.wide} + h]);")
            put("}")
        for q in range(self.roots):
            put(f"*value{q} = {self._climb(self.outline.tree, q)};")
        put(f"}} else if ({self.within(self.wide, self.own_turns)}) {{")
        put(" ".join(f"*value{q} = 0.0f;" for q in range(self.roots)))
        put("} }")

    def _climb(self, part: Any, root: int) -> str:
        """Write what gives a node's value; the name that holds it."""
        name = f"n{self.names}"
        self.names += 1
        first = 3 * self.outline.num_ends * root
        if part[0] == "end":
            at, end = f"[turn][{self.states.index((root, part[2]))}]", first + 3 * part[1]
            if self.raked:
                terms = [f"amounts[{end + i}] * {sums}{at}" for i, sums in
                         enumerate(("beaten", "level", "mass"))]  # fmt: skip
                self.put(f"const float {name} = {' + '.join(terms)};")
            else:
                self.put(f"const float {name} = amounts[{end}] * won{at};")
        elif part[0] == "fold":
            met = self.opponent_reach[part[3]].items()
            terms = [f"{count:+d}.0f * mass[turn][{self.states.index((root, state))}]"
                     for state, count in met]  # fmt: skip
            total = " ".join(terms) if terms else "0.0f"
            self.put(f"const float {name} = amounts[{first + 3 * part[2]}] * ({total});")
        elif part[0] == "their":
            below = [self._climb(child, root) for child in part[1]]
            self.put(f"const float {name} = {' + '.join(below)};")
        else:
            self._own_node(name, part[1], [self._climb(child, root) for child in part[2]], root)
        return name

    def _own_node(self, name: str, row: int, below: list[str], root: int) -> None:
        put, num_actions = self.put, len(below)
        rows = range(row, row + num_actions)
        best = below[0]
        for child in below[1:]:
            best = f"fmaxf({best}, {child})"
        if not self.learn:
            put(f"float {name} = {best};")
            put("if (averages) {")
        else:
            put(f"float {name};")
        regrets = [f"g{name}_{i}" for i in range(num_actions)]
        shares = [f"q{name}_{i}" for i in range(num_actions)]
        for old, share, at in zip(regrets, shares, rows, strict=True):
            put(f"const float {old} = {self.own(root, at)};")
            put(f"float {share} = above({old});")
        put(f"{{ const float total = {' + '.join(shares)};")
        put("const float scale = total > MIN_TOTAL ? inverse(total) : 0.0f;")
        put(f"const float even = total > MIN_TOTAL ? 0.0f : {1 / num_actions:.9f}f;")
        put(" ".join(f"{share} = {share} * scale + even;" for share in shares) + " }")
        products = [f"{share} * {child}" for share, child in zip(shares, below, strict=True)]
        put(f"{name} = {' + '.join(products)};")
        if not self.learn:
            put("}")
            return
        for old, share, child, at in zip(regrets, shares, below, rows, strict=True):
            put(f"regrets{root}[{at * self.wide} + h] ="
                f" learned({old} * ({old} > 0.0f ? up : down) + ({child} - {name}));")  # fmt: skip
            before = f"old[{root * self.outline.own_rows + at}]"
            put("if (add > 0.0f)")
            put(f"averages{root}[{at * self.wide} + h] = keep({before} * stay + {share} * add);")
