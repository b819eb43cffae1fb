"""Kernels made for the betting trees of one river: a whole subtree in one block, all in registers.

River roots whose trees have the same shape share a kernel; pots and stacks are numbers it is given.
A block takes one board and some such roots. Each of the opponent's hands goes down his nodes in
registers and leaves its reach in shared memory, four ways of playing at a time, by strength. Warps
sum it up over all hands and over the hands with each card. Each own hand then reads what it beats
and meets, and goes up the tree in registers. Only regrets, averages and the root's value are read
and written. Where the opponent folds, what is met is what was met before less his other actions.

Trees that are too large for registers or shared memory are left to `river_any`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from riverboat.holdem.spots.spot_river_shape import Outline, Shape, masses_of, outlined

__all__ = ["RiverKernel", "river_kernel"]

MOST_STATES, MOST_REGISTERS = 40, 160
"""Ways of playing in a block; numbers of a thread."""
_TYPES = {1: "float", 2: "float2", 3: "float4", 4: "float4"}
_FLOATS = {1: 1, 2: 2, 3: 4, 4: 4}
_PARTS = "xyzw"


@dataclass(frozen=True)
class RiverKernel:
    """A kernel's text and what its launch needs."""

    name: str
    text: str
    threads: int
    roots: int
    """Of a block."""
    spaces: int
    """Floats of shared memory for each of the opponent's hands,"""
    listed: int
    """for each entry of the lists of cards,"""
    fixed: int
    """and beside them."""

    def shared(self, their_size: int, list_size: int) -> int:
        """Bytes of shared memory."""
        # One place stays empty, and places come in whole blocks.
        spaces = (their_size + 4) & ~3
        floats = self.spaces * spaces + self.listed * list_size + self.fixed
        return 4 * floats + 2 * list_size + 2 * 64


def river_kernel(
    shape: Shape,
    *,
    learn: bool,
    raked: bool,
    sizes: tuple[int, int],
    threads: int,
    roots: int,
    blocks: int = 0,
    batch: int = 4,
    ahead: bool = True,
) -> RiverKernel | None:
    """The kernel for a shape, or None where it is too large.

    `sizes` are the numbers of own and of the opponent's hands, `blocks` how many should fit on a
    multiprocessor (0 for a guess), `batch` how many groups of four states are summed up together;
    `ahead` reads
    own numbers before the sums are there.
    """
    writer = _Writer(outlined(shape), learn, raked, sizes, threads, roots, batch, ahead)
    if len(writer.states) > MOST_STATES or writer.registers > MOST_REGISTERS:
        return None
    body = writer.body()
    if blocks == 0:
        blocks = max(1, (896 if writer.registers <= 36 else 640) // threads)
        blocks = 1 if writer.registers > 64 else blocks
    name = "river_" + hashlib.sha256(f"{body}{threads}{blocks}".encode()).hexdigest()[:16]
    text = f"BOUNDED({name}, {threads}, {blocks}) {{\n{body}}}\n"
    return RiverKernel(name, text, threads, roots, *writer.shared_parts())


class _Writer:
    """Writes one kernel."""

    def __init__(
        self,
        outline: Outline,
        learn: bool,
        raked: bool,
        sizes: tuple[int, int],
        threads: int,
        roots: int,
        batch: int,
        ahead: bool,
    ) -> None:
        self.outline, self.learn, self.raked, self.roots = outline, learn, raked, roots
        self.threads, self.ahead = threads, ahead
        self.own_turns, self.their_turns = (-(-size // threads) for size in sizes)
        self.masses = masses_of(outline)
        self.states = [(root, state) for root in range(roots) for state in outline.shown]
        self.groups = [self.states[i : i + 4] for i in range(0, len(self.states), 4)]
        self.batch = min(batch, len(self.groups))
        self.lines: list[str] = []
        self.names = 0

    @property
    def registers(self) -> int:
        each = len(self.states) * (3 if self.raked else 2)
        each += self.outline.own_rows * self.roots if self.ahead else 0
        below = self.outline.num_states * self.roots
        return max(each * self.own_turns, below)

    def shared_parts(self) -> tuple[int, int, int]:
        """Floats of shared memory for each place, for each entry of a list, and beside."""
        values = sum(_FLOATS[len(group)] for group in self.groups)
        slots = sum(self._slot_floats(slot) for slot in range(self.batch))
        return values + slots, slots, 52 * slots

    def _slot_floats(self, slot: int) -> int:
        return max(_FLOATS[len(group)] for group in self.groups[slot :: self.batch])

    def put(self, line: str) -> None:
        self.lines.append(line)

    def body(self) -> str:
        self._start()
        self._read_own()
        self._down()
        self._count()
        self._up()
        return "\n".join(self.lines) + "\n"

    def _start(self) -> None:
        put, outline = self.put, self.outline
        put("SHARED_BYTES")
        put("const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;")
        put(f"const int sets = j.num_roots / {self.roots}, board = blockIdx.x / sets;")
        put(f"const int first = (blockIdx.x % sets) * {self.roots};")
        put("const int spaces = (j.their_size + 4) & ~3, listed = j.their_list_size;")
        put("const int valid = j.their_valid[board];")
        values, slots, _ = self.shared_parts()
        put("float* shared = (float*)shared_bytes;")
        put(f"u16* list = (u16*)(shared + {values} * spaces + {slots} * listed + {52 * slots});")
        put("u16* starts = list + listed;")
        at, lists, totals = 0, 0, 0
        for number, group in enumerate(self.groups):
            kind = _TYPES[len(group)]
            put(f"{kind}* v{number} = ({kind}*)(shared + {at} * spaces);")
            at += _FLOATS[len(group)]
        for slot in range(self.batch):
            put(f"float* s{slot} = shared + {at} * spaces;")
            at += self._slot_floats(slot)
        for slot in range(self.batch):
            put(f"float* c{slot} = shared + {values} * spaces + {lists} * listed;")
            place = f"{values} * spaces + {slots} * listed + {52 * totals}"
            put(f"float* t{slot} = shared + {place};")
            lists += self._slot_floats(slot)
            totals += self._slot_floats(slot)
        put("{ const uint4* from = (const uint4*)(j.their_list + (size_t)board * listed);")
        put(
            f"  for (int i = tid; i < listed / 8; i += {self.threads}) ((uint4*)list)[i] = from[i];"
        )
        put(f"  for (int i = tid; i < 53; i += {self.threads})")
        put("    starts[i] = j.their_starts[board * 56 + i]; }")
        for root in range(self.roots):
            put(f"const int4 root{root} = ((const int4*)j.river_roots)[first + {root}];")
        put(f"const float* amounts = j.amounts + (size_t)first * {3 * outline.num_ends};")

    def _down(self) -> None:
        """The opponent's reach in every state with a showdown, into shared memory."""
        put, outline = self.put, self.outline
        kind = "float" if self.learn else "Kept"
        read = "{}" if self.learn else "kept({})"
        put("{ const u16* places = j.their_places + (size_t)board * j.their_width;")
        put("const size_t far = j.their_width;")
        for q in range(self.roots):
            start = f"((size_t)j.their_first + (size_t)board * j.their_rows + root{q}.z)"
            put(f"const {kind}* p{q} = (const {kind}*)j.source + {start} * far;")
            put(
                f"const float* r{q} ="
                f" j.is_first ? j.their_weights : reach_row(j, board, root{q}.x);"
            )
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.their_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        put("if (h < j.their_size) {")
        put("const int place = places[h];")
        for q in range(self.roots):
            for _, after, row, _ in outline.splits:
                for i, state in enumerate(after):
                    value = read.format(f"p{q}[{row + i} * far + h]")
                    put(f"float x{q}_{state} = {value};")
        for q in range(self.roots):
            put(f"const float x{q}_0 = r{q}[h];")
        for q in range(self.roots):
            for before, after, _, _ in outline.splits:
                names = [f"x{q}_{state}" for state in after]
                put(" ".join(f"{name} = above({name});" for name in names))
                put(f"{{ const float total = {' + '.join(names)}, here = x{q}_{before};")
                put("const float scale = total > 0.0f ? __fdividef(here, total) : 0.0f;")
                put(f"const float even = total > 0.0f ? 0.0f : here * {1 / len(after):.9f}f;")
                put(" ".join(f"{name} = {name} * scale + even;" for name in names) + " }")
        put("if (place != NOWHERE) {")
        for number, group in enumerate(self.groups):
            names = [f"x{q}_{state}" for q, state in group]
            put(f"v{number}[place] = {_vector(names)};")
        put("} } }")
        put("if (tid == 0) {")
        for number in range(len(self.groups)):
            put(f"set_zero(v{number}[j.their_size]);")
        put("} }")

    def _read_own(self) -> None:
        put, rows = self.put, self.outline.own_rows
        put("const size_t wide = j.my_width;")
        put("const uint4* records = j.records + (size_t)board * wide;")
        put(f"uint4 record[{self.own_turns}];")
        put("const bool averages = j.mode == AVERAGE;")
        for q in range(self.roots):
            start = f"((size_t)j.my_first + (size_t)board * j.my_rows + root{q}.y) * wide"
            put(f"float* __restrict__ regrets{q} = j.regrets + {start};")
            put(f"Kept* __restrict__ averages{q} = (Kept*)j.averages + {start};")
        if self.ahead and rows:
            put(f"float own[{self.own_turns}][{rows * self.roots}];")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.own_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        put("record[turn] = h < j.my_size ? records[h] : make_uint4(NOWHERE, 0, 0, 0);")
        if self.ahead and rows:
            more = "" if self.learn else " && averages"
            put(f"if (h < j.my_size{more}) {{")
            for q in range(self.roots):
                for row in range(rows):
                    put(f"own[turn][{q * rows + row}] = {self._own(q, row)};")
            put("}")
        if self.learn and rows:
            put("if (h < j.my_size) {")
            for q in range(self.roots):
                for row in range(rows):
                    put(f"if (j.weights[3] > 0.0f) ask_for(averages{q} + {row} * wide + h);")
                    if not self.ahead:
                        put(f"ask_for(regrets{q} + {row} * wide + h);")
            put("}")
        put("}")

    def _own(self, root: int, row: int) -> str:
        if self.learn:
            return f"regrets{root}[{row} * wide + h]"
        return f"kept(averages{root}[{row} * wide + h])"

    def _count(self) -> None:
        """What each own hand beats and meets in every state."""
        put = self.put
        names = "beaten", "level", "mass"
        kept = names if self.raked else ("won", "mass")
        for name in kept:
            put(f"float {name}[{self.own_turns}][{len(self.states)}];")
        warps = self.threads // 32
        for start in range(0, len(self.groups), self.batch):
            numbers = range(start, min(start + self.batch, len(self.groups)))
            put("__syncthreads();")
            tasks = [f"scan_card({self._arrays(n)}, list, starts, lane);" for n in numbers]
            tasks += [
                f"scan_places(v{n}, ({self._kind(n)}*)s{n % self.batch}, valid, lane);"
                for n in numbers
            ]
            tasks += [
                f"if (lane < 20) scan_card({self._arrays(n)}, list, starts, lane + 32);"
                for n in numbers
            ]
            for turn, task in enumerate(tasks):
                put(f"if (warp == {turn % warps}) {{ {task} }}")
            put("__syncthreads();")
            put("#pragma unroll")
            put(f"for (int turn = 0; turn < {self.own_turns}; turn++)")
            put("if ((record[turn].x & 0xFFFF) != NOWHERE) {")
            for n in numbers:
                kind, slot = self._kind(n), n % self.batch
                arrays = f"({kind}*)s{slot}, ({kind}*)c{slot}, ({kind}*)t{slot}"
                put(
                    f"{{ const Met<{kind}> met = meet<{kind}>(record[turn], v{n}, {arrays}, valid);"
                )
                for part, key in enumerate(self.groups[n]):
                    dot = "" if kind == "float" else f".{_PARTS[part]}"
                    at = f"[turn][{self.states.index(key)}]"
                    if self.raked:
                        put(" ".join(f"{name}{at} = met.{name}{dot};" for name in names))
                    else:
                        won = f"met.beaten{dot} + met.level{dot} - met.mass{dot}"
                        put(f"won{at} = {won}; mass{at} = met.mass{dot};")
                put("}")
            put("}")

    def _kind(self, number: int) -> str:
        return _TYPES[len(self.groups[number])]

    def _arrays(self, number: int) -> str:
        kind, slot = self._kind(number), number % self.batch
        return f"v{number}, ({kind}*)c{slot}, ({kind}*)t{slot}"

    def _up(self) -> None:
        put = self.put
        if self.learn:
            put("const float up = j.weights[0], down = j.weights[1];")
            put("const float stay = j.weights[2], add = j.weights[3];")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.own_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        for q in range(self.roots):
            place = f"((size_t)root{q}.w * j.num_boards + board) * wide + h"
            put(f"float* value{q} = j.root_values + {place};")
        put("if ((record[turn].x & 0xFFFF) != NOWHERE) {")
        rows = self.outline.own_rows
        if self.learn and rows:
            # All reads are on their way before the first write.
            put(f"float old[{rows * self.roots}];")
            put("if (add > 0.0f) {")
            for q in range(self.roots):
                for row in range(rows):
                    put(f"old[{q * rows + row}] = kept(averages{q}[{row} * wide + h]);")
            put("}")
        for q in range(self.roots):
            put(f"*value{q} = {self._climb(self.outline.tree, q)};")
        put("} else if (h < j.my_size) {")
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
                terms = [f"amounts[{end + i}] * {each}{at}" for i, each in
                         enumerate(("beaten", "level", "mass"))]  # fmt: skip
                self.put(f"const float {name} = {' + '.join(terms)};")
            else:
                self.put(f"const float {name} = amounts[{end}] * won{at};")
        elif part[0] == "fold":
            met = self.masses[part[3]].items()
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
        put, num = self.put, len(below)
        rows = range(row, row + num)
        best = below[0]
        for each in below[1:]:
            best = f"fmaxf({best}, {each})"
        if not self.learn:
            put(f"float {name} = {best};")
            put("if (averages) {")
        else:
            put(f"float {name};")
        regrets = [f"g{name}_{i}" for i in range(num)]
        shares = [f"q{name}_{i}" for i in range(num)]
        for old, share, at in zip(regrets, shares, rows, strict=True):
            held = f"own[turn][{root * self.outline.own_rows + at}]"
            put(f"const float {old} = {held if self.ahead else self._own(root, at)};")
            put(f"float {share} = above({old});")
        put(f"{{ const float total = {' + '.join(shares)};")
        put("const float scale = total > 0.0f ? __fdividef(1.0f, total) : 0.0f;")
        put(f"const float even = total > 0.0f ? 0.0f : {1 / num:.9f}f;")
        put(" ".join(f"{share} = {share} * scale + even;" for share in shares) + " }")
        products = [f"{share} * {each}" for share, each in zip(shares, below, strict=True)]
        put(f"{name} = {' + '.join(products)};")
        if not self.learn:
            put("}")
            return
        for old, share, each, at in zip(regrets, shares, below, rows, strict=True):
            put(f"regrets{root}[{at} * wide + h] ="
                f" {old} * ({old} > 0.0f ? up : down) + ({each} - {name});")  # fmt: skip
            before = f"old[{root * self.outline.own_rows + at}]"
            put("if (add > 0.0f)")
            put(f"averages{root}[{at} * wide + h] = keep({before} * stay + {share} * add);")


def _vector(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) == 2:
        return f"make_float2({names[0]}, {names[1]})"
    padded = [*names, "0.0f"][:4]
    return f"make_float4({', '.join(padded)})"
