"""River kernels: which one each river root gets, and kernels made for the shape of a betting tree.

River roots whose trees have the same shape share a kernel; pots and stacks are numbers it is given.
A block takes one board and some such roots. Each of the opponent's hands goes down their nodes in
registers and leaves its reach in shared memory, four states at a time, by strength. Warps sum it up
over all hands and over the hands with each card. Each own hand then reads what it beats and meets,
and goes up the tree in registers. Only regrets, averages and the root's value are read and written.
Where the opponent folds, what is met is what was met before less their other actions.

Trees that are too large for registers or shared memory are left to `river_any`. The choice of
threads and blocks was measured on an H200: one or two hands for each thread, two to five blocks on
a multiprocessor, several roots of small trees in a block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from riverboat.holdem.spots.cuda._river_source import (
    TYPES,
    RiverText,
    Shape,
    outlined,
    shape_of,
    terminals_of,
)
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.plan import payoffs
from riverboat.holdem.spots.tree import NodeKind

MAX_STATES, MAX_REGISTERS = 40, 160  # Ways of playing in a block; numbers of a thread
_PARTS = "xyzw"


@dataclass(frozen=True)
class RiverKernel:
    """A kernel's text and what its launch needs."""

    name: str
    text: str
    threads: int
    roots: int  # Of a block
    shared: int  # Bytes of shared memory


def river_kernel(
    shape: Shape,
    *,
    learn: bool,
    raked: bool,
    sizes: tuple[int, int],
    threads: int,
    roots: int,
    blocks: int = 1,
    batch: int = 4,
    stage: str = "",
    limit: int = 1 << 30,
) -> RiverKernel | None:
    """The kernel for a shape, or None where it is too large or takes more shared memory than that.

    `sizes` are the numbers of own and of the opponent's hands, `blocks` how many should fit on a
    multiprocessor, `batch` how many groups of four states are summed up together, `stage` what is
    copied into shared memory when a block begins: "t" for the opponent's numbers, "o" for own ones.
    """
    writer = _Writer(outlined(shape), learn, raked, sizes, threads, roots, batch, stage)
    if len(writer.states) > MAX_STATES or writer.registers > MAX_REGISTERS:
        return None
    if writer.shared > limit:
        return None
    body = writer.body()
    name = "river_" + hashlib.sha256(f"{body}{threads}{blocks}".encode()).hexdigest()[:16]
    text = f"BOUNDED({name}, {threads}, {blocks}) {{\n{body}}}\n"
    return RiverKernel(name, text, threads, roots, writer.shared)


class _Writer(RiverText):
    """Writes one kernel."""

    def body(self) -> str:
        self._start()
        self._read_own()
        self._down()
        self._count()
        self.up()
        return "\n".join(self.lines) + "\n"

    def _start(self) -> None:
        put = self.put
        put("SHARED_BYTES")
        put("const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;")
        put(f"const int sets = j.num_roots / {self.roots}, board = blockIdx.x / sets;")
        put(f"const int first = (blockIdx.x % sets) * {self.roots};")
        put("const int valid = j.their_valid[board];")
        put("const int parent = j.is_first ? 0 : j.parent[board];")
        for root in range(self.roots):
            put(f"const int4 root{root} = ((const int4*)j.river_roots)[first + {root}];")
        put(f"u16* list = (u16*)(shared_bytes + {self.at['list']});")
        put(f"u16* starts = (u16*)(shared_bytes + {self.at['starts']});")
        for number, group in enumerate(self.groups):
            kind = TYPES[len(group)]
            put(f"{kind}* v{number} = ({kind}*)(shared_bytes + {self.at[f'v{number}']});")
        for slot in range(self.batch):
            for name in "sct":
                offset = self.at[f"{name}{slot}"]
                put(f"float* {name}{slot} = (float*)(shared_bytes + {offset});")
        put(f"float* amounts = (float*)(shared_bytes + {self.at['amounts']});")
        kind = "Learned" if self.learn else "Kept"
        for q in range(self.roots):
            start = f"((size_t)j.their_first + (size_t)board * j.their_rows + root{q}.z)"
            put(f"const {kind}* p{q} = (const {kind}*)j.source + {start} * {self.far};")
            start = f"((size_t)j.my_first + (size_t)board * j.my_rows + root{q}.y) * {self.wide}"
            put(f"Learned* __restrict__ regrets{q} = (Learned*)j.regrets + {start};")
            put(f"Kept* __restrict__ averages{q} = (Kept*)j.averages + {start};")
        put("const bool averages = j.mode == AVERAGE;")
        self._bring()

    def _bring(self) -> None:
        """Lists and what is staged, on their way into shared memory."""
        put, rows, theirs = self.put, self.outline.own_rows, self.outline.their_rows
        kind = "Learned" if self.learn else "Kept"
        put(f"u64* bars = (u64*)(shared_bytes + {self.at['bars']});")
        put("begin_bringing(bars);")
        put("if (BRINGS) {")
        staged = "t" in self.stage and theirs
        size = f"{self.roots * theirs * self.far} * sizeof({kind})" if staged else "0"
        put(f"expect(bars, (int)({size}) + 2 * j.their_list_size + 2 * STARTS);")
        for q in range(self.roots if staged else 0):
            to = f"({kind}*)(shared_bytes + {self.at['theirs']}) + {q * theirs * self.far}"
            put(f"bring({to}, p{q}, {theirs * self.far} * sizeof({kind}), bars);")
        put("bring(list, j.their_list + (size_t)board * j.their_list_size, "
            "2 * j.their_list_size, bars);")  # fmt: skip
        put("bring(starts, j.their_starts + board * STARTS, 2 * STARTS, bars);")
        if rows:
            count = rows * self.wide
            name = "regrets" if self.learn else "averages"
            if "o" in self.stage:
                put(f"expect(bars + 1, (int)({self.roots * count} * sizeof({kind})));")
            for q in range(self.roots):
                if "o" in self.stage:
                    to = f"({kind}*)(shared_bytes + {self.at['own']}) + {q * count}"
                    put(f"bring({to}, {name}{q}, {count} * sizeof({kind}), bars + 1);")
                else:
                    asks = "" if self.learn else "if (averages) "
                    put(f"{asks}ask_for_all({name}{q}, {count} * sizeof({kind}));")
        put("}")
        # Amounts and weights, for the way up.
        num_amounts = 3 * self.outline.num_ends * self.roots
        put(f"for (int i = tid; i < {num_amounts}; i += {self.threads})")
        put(f"  amounts[i] = j.amounts[(size_t)first * {3 * self.outline.num_ends} + i];")
        if self.learn:
            put(f"if (tid < 4) amounts[{num_amounts} + tid] = j.weights[tid];")

    def _down(self) -> None:
        """The opponent's reach in every state with a showdown, into shared memory."""
        put, outline = self.put, self.outline
        kind = "Learned" if self.learn else "Kept"
        read = "known({})" if self.learn else "kept({})"
        staged = "t" in self.stage
        put(f"{{ const u16* places = j.their_places + (size_t)board * {self.far};")
        for q in range(self.roots):
            put(
                f"const float* r{q} ="
                f" j.is_first ? j.their_weights : reach_above(j, parent, root{q}.x);"
            )
            if staged:
                offset = self.at["theirs"]
                put(f"const {kind}* q{q} = (const {kind}*)(shared_bytes + {offset})"
                    f" + {q * outline.their_rows * self.far};")  # fmt: skip
        put(f"int place[{self.their_turns}]; float reach[{self.their_turns}][{self.roots}];")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.their_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        within = self.within(self.far, self.their_turns)
        put(f"place[turn] = {within} ? places[h] : NOWHERE;")
        for q in range(self.roots):
            put(f"reach[turn][{q}] = {within} ? r{q}[h] : 0.0f;")
        put("}")
        put("__syncthreads();")
        if staged:
            put("await(bars);")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.their_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        put("if (place[turn] != NOWHERE) {")
        for q in range(self.roots):
            for _, after, row, _ in outline.splits:
                for i, state in enumerate(after):
                    name = "q" if staged else "p"
                    value = read.format(f"{name}{q}[{(row + i) * self.far} + h]")
                    put(f"float x{q}_{state} = {value};")
        for q in range(self.roots):
            put(f"const float x{q}_0 = reach[turn][{q}];")
        for q in range(self.roots):
            for before, after, _, _ in outline.splits:
                names = [f"x{q}_{state}" for state in after]
                put(" ".join(f"{name} = above({name});" for name in names))
                put(f"{{ const float total = {' + '.join(names)}, here = x{q}_{before};")
                put("const float scale = total > MIN_TOTAL ? here * inverse(total) : 0.0f;")
                put(f"const float even = total > MIN_TOTAL ? 0.0f : here * {1 / len(after):.9f}f;")
                put(" ".join(f"{name} = {name} * scale + even;" for name in names) + " }")
        for number, group in enumerate(self.groups):
            names = [f"x{q}_{state}" for q, state in group]
            put(f"v{number}[place[turn]] = {_vector(names)};")
        put("} }")
        put("if (tid == 0) {")
        for number in range(len(self.groups)):
            put(f"set_zero(v{number}[j.their_size]);")
        put("} }")
        if not staged:
            put("await(bars);")
        if self.learn and outline.own_rows:
            # What is known only now did not hold up anything else.
            put(f"if (BRINGS && {self.weight(3)} > 0.0f) {{")
            size = f"{outline.own_rows * self.wide} * sizeof(Kept)"
            for q in range(self.roots):
                put(f"ask_for_all(averages{q}, {size});")
            put("}")

    def _read_own(self) -> None:
        put = self.put
        put(f"const uint4* records = j.records + (size_t)board * {self.wide};")
        put(f"uint4 record[{self.own_turns}];")
        put("#pragma unroll")
        put(f"for (int turn = 0; turn < {self.own_turns}; turn++) {{")
        put(f"const int h = tid + turn * {self.threads};")
        within = self.within(self.wide, self.own_turns)
        put(f"record[turn] = {within} ? records[h] : make_uint4(NOWHERE, 0, 0, 0);")
        put("}")

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
        return TYPES[len(self.groups[number])]

    def _arrays(self, number: int) -> str:
        kind, slot = self._kind(number), number % self.batch
        return f"v{number}, ({kind}*)c{slot}, ({kind}*)t{slot}"


def _vector(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) == 2:
        return f"make_float2({names[0]}, {names[1]})"
    padded = [*names, "0.0f"][:4]
    return f"make_float4({', '.join(padded)})"


@dataclass
class RiverSort:
    """River roots whose trees have the same shape."""

    shape: Shape
    roots: list[int]
    learn: RiverKernel | None
    evaluate: RiverKernel | None
    amounts: Any = None
    table: Any = None


@lru_cache(maxsize=512)
def tuned_kernel(
    shape: Shape, *, learn: bool, raked: bool, sizes: tuple[int, int], count: int, limit: int
) -> RiverKernel | None:
    """The kernel for `count` roots of a shape, with what was measured to be quick on an H200."""
    states = max(1, len(outlined(shape).shown))
    roots = max(n for n in (1, 2, 4) if count % n == 0 and (n == 1 or n * states <= 6))
    # With rake a thread has three numbers for each state, else two.
    load = roots * states * (3 if raked else 2) // 2
    threads, wanted = _block(sizes[0], load)
    stages = ["to", "t", ""]
    if not learn or (load <= 5 and threads >= sizes[0]):
        # Where nothing is learned, or little, own numbers need no room of their own.
        stages = ["t", ""]
    for least in range(wanted, 0, -1):
        for stage in stages:
            for batch in (4, 3, 2, 1):
                kernel = river_kernel(
                    shape, learn=learn, raked=raked, sizes=sizes, threads=threads, roots=roots,
                    blocks=least, batch=batch, stage=stage,
                    # Each block takes 1 KiB more than it asks for.
                    limit=(limit + 1024) // least - 1024,
                )  # fmt: skip
                if kernel is not None:
                    return kernel
    return None


def _block(size: int, load: int) -> tuple[int, int]:
    """Threads of a block for a number of own hands, and blocks on a multiprocessor."""
    turns = -(-size // 576)
    if 320 < size <= 512 and load <= 6:
        turns = 2
    threads = -(-size // (32 * turns)) * 32
    if size > 512:
        return threads, 1
    if load >= 9:
        return threads, 2
    most = (1440 if load <= 5 else 1248) if turns == 1 else (1120 if load <= 5 else 896)
    return threads, max(1, most // threads)


def sort_rivers(layout: Layout, learner: int, limit: int, *, fused: bool = True) -> list[RiverSort]:
    """River roots by the shape of their trees, with kernels where these are not too large.

    `limit` is the shared memory of a block; without `fused` there are no kernels.
    """
    by_shape: dict[Shape, list[int]] = {}
    for index, root in enumerate(layout.plan.root_nodes[-1]):
        by_shape.setdefault(shape_of(layout.tree, root, learner), []).append(index)
    sizes = [len(layout.combos[who]) for who in (learner, 1 - learner)]
    sorts = []
    for shape, indices in by_shape.items():
        sort = RiverSort(shape, indices, None, None)
        if fused:
            sort.learn, sort.evaluate = (
                tuned_kernel(
                    shape, learn=learn, raked=layout.spot.rake_rate > 0,
                    sizes=(sizes[0], sizes[1]), count=len(indices), limit=limit,
                )
                for learn in (True, False)
            )  # fmt: skip
        sorts.append(sort)
    return sorts


def fill_root_tables(
    layout: Layout, learner: int, sorts: list[RiverSort], upload: Callable[..., Any]
) -> None:
    """Upload the table of each root that the kernels of rivers read."""
    tree, roots = layout.tree, layout.plan.root_nodes[-1]
    raked = layout.spot.rake_rate > 0
    reaches = _root_reach(layout, learner)
    for sort in sorts:
        amounts, table = [], []
        for index in sort.roots:
            for end in terminals_of(tree, roots[index]):
                node = tree.nodes[end]
                win, tie, lose = payoffs(tree, node)
                if node.kind == NodeKind.FOLD:
                    amounts.append((lose if node.player == learner else win, 0.0, 0.0))
                else:
                    amounts.append((win - tie, tie - lose, lose) if raked else (win, 0.0, 0.0))
            first = [_first_row(layout, roots[index], who) for who in (learner, 1 - learner)]
            table.append((reaches[index], *first, index))
        sort.amounts = upload(np.array(amounts), np.float32)
        sort.table = upload(np.array(table))


def _root_reach(layout: Layout, learner: int) -> list[int]:
    """For each river root the row of the opponent's reach there."""
    if layout.num_streets == 1:
        return [0]
    width = layout.widths[1 - learner]
    return [int(reach) // width for reach in layout.plan.streets[-2][learner].chances[:, 0]]


def _first_row(layout: Layout, root: int, player: int) -> int:
    """A player's first row below a root, 0 where there is none."""
    waiting = [root]
    while waiting:
        node = layout.tree.nodes[waiting.pop()]
        if node.kind == NodeKind.DECISION and node.player == player:
            return layout.tree.node_rows[node.index]
        waiting += reversed(node.children)
    return 0
