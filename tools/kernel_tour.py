"""Run every kind of command once, small: what a wheel with compiled kernels must have compiled.

`python tools/kernel_tour.py` prints each line and how many kernels were compiled for it. The tour
runs in a folder and with a cache of its own, so that it does the same on every machine. Where
nothing is left to compile, its two parts, `long` and `others`, may run side by side.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

SPOT = """
board = "{board}"
pot = 100
stack = 150
[ranges]
oop = "AA,KK,QJs,A5s:0.5"
ip = "99,88,AJs,KQs"
[sizes.flop]
oop = {{ bet = "a", donk = "a" }}
ip = {{ bet = "a" }}
"""
THREE = """
board = "{board}"
pot = 60
stack = 60
[ranges]
sb = "AA,QJs"
bb = "99,KQs"
btn = "88,AJs"
[sizes.turn]
sb = {{ bet = "a" }}
bb = {{ bet = "a" }}
btn = {{ bet = "a" }}
"""
OMAHA = """
game = "omaha"
board = "{board}"
pot = 100
stack = 150
[ranges]
oop = "AAKK$ds"
ip = "KKQQ"
[sizes.turn]
oop = {{ bet = "100%" }}
"""
FILES = {
    "flop.toml": SPOT.format(board="Qs Jh 2h"),
    "turn.toml": SPOT.format(board="Qs Jh 2h 3d"),
    "river.toml": SPOT.format(board="Qs Jh 2h 3d 4c"),
    "raked.toml": SPOT.format(board="Qs Jh 2h 3d 4c") + "[rake]\nrate = 0.05\ncap = 3\n",
    "three.toml": THREE.format(board="Qs Jh 2h 3d 4c"),
    "three_turn.toml": THREE.format(board="Qs Jh 2h 3d"),
    "push-fold.toml": "stacks = [10, 10]\n",
    "push-fold-6.toml": "players = 6\nstacks = 10\n",
    "omaha.toml": OMAHA.format(board="Qs Jh 2h 3d 4c"),
    "omaha_turn.toml": OMAHA.format(board="Qs Jh 2h 3d"),
    "flops.toml": """
game = "flops"
stacks = 3
flops = ["Ts6s3s"]
[preflop]
open = "a"
[sizes.flop]
oop = { bet = "a" }
ip = { bet = "a" }
[tree]
raises = 1
""",
    "kuhn.toml": """
[game]
small_blind = 0
big_blind = 0
ante = 1
ranks = 3
suits = 1
hole_cards = 1
board_cards = [0]
limit = "fixed-limit"
bet_sizes = [1]
max_raises = [1]
stacks = 2
[bets]
preflop = "m"
[cards]
scheme = "lossless"
[training]
period = 8192
""",
}
PUBLIC = "-a cfr -a cfr+ -a linear -a dcfr -a pcfr+ -a pdcfr+ -a sapcfr+"
CFR = f"{PUBLIC} -a cs-cfr -a es-mccfr -a os-mccfr"
TOUR = (
    f"solve kuhn {CFR} --iterations 20",
    "solve kuhn --out kuhn.rb",
    "solve kuhn -p players=3 -a cfr+ --iterations 20",
    f"solve leduc {CFR} --iterations 20",
    "solve leduc --target 1e-2 --out leduc.rb",
    "solve leduc -a lp:refined",
    "solve leduc -a dcfr --simultaneous --iterations 20",
    "solve leduc -a lp:against=random",
    f"solve showdown {CFR} --iterations 20",
    "solve showdown",
    f"solve duel {PUBLIC} -a sampled-cfr+ --iterations 20",
    "solve duel --iterations 20 --out duel.rb",
    "solve duel --set max_hits=3 -a dcfr --threads 2 --iterations 2",
    "solve liars_dice -p faces=3 --iterations 20 -a sapcfr+",
    "duel 6,6,2 1 100 dump",
    "holdem solve three.toml --iterations 4 --out three.rb",
    "holdem solve three_turn.toml --iterations 2",
    "holdem solve omaha.toml --iterations 4 --out omaha.rb",
    "holdem view omaha.rb",
    "holdem solve omaha_turn.toml --iterations 2",
    "holdem preflop push-fold.toml --iterations 20",
    "holdem preflop push-fold-6.toml --iterations 2",
    "holdem preflop flops.toml --iterations 1",
    "holdem icm 50 30 20 --payouts 50,30,20",
    "evaluate leduc.rb",
    "match kuhn kuhn.rb random --hands 1000",
    "quiz random equilibrium",
    "match leduc leduc.rb random --hands 1000",
    "match kuhn mcts?simulations=1000 random --hands 10",
    "bots showdown --training 100,1000 --hands 1000",
    "train twentyone --games 1e4 --out q.rb",
    "train twentyone --state soft --games 1e4 --out soft.rb",
    "train twentyone --q q.rb --games 1e4 --out q.rb",
    "train twentyone --method literal --games 1e4",
    "train twentyone --method off-policy --games 1e4",
    "train twentyone --method q-learning --games 1e4",
    "train twentyone --method sarsa --games 1e4",
    "twentyone table basic random --games 10",
    "twentyone tournament host basic anna=basic random bob=random --rounds 20",
    "blackjack ev",
    "blackjack ev --set decks=1 --set h17=true",
    "blackjack hand T,6 --up 10",
    "blackjack hand 8,8 --up 10",
    "blackjack dealer --up 6",
    "blackjack chart",
    "blackjack chart --rules single-deck --set surrender=late",
    "blackjack simulate --rounds 1e5",
    "blackjack simulate --rounds 1e5 --count hilo --ramp '1 2@1 4@2 8@3' --threads 2",
    "blackjack sweep --over decks=1,2 --over h17=false,true",
    "mcts explain --hand 8,8 --up 10 --simulations 500",
    "mcts train bot.txt --rounds 20 --simulations 200",
    "mcts coverage bot.txt",
    "casino --bot mcts,basic,random --rounds 5 --seed 7",
    "equity AsAh KdKc",
    "equity AsAh KdKc QdQh",
    "equity QQ+,AKs 55",
    "equity QQ+,AKs 55 --board 9s8d2s",
    "equity AsKs 6d6c --game shortdeck",
    "equity AsKsQhJh AdAc7d2c --game omaha --board Ts9s2d",
    "equity AsKsQhJh random --game omaha --board Ts9s2d4c",
    "equity AsKsQhJh AdAc7d2c --game omaha --method monte-carlo --samples 1000",
    "equity QQ+ AKs 77 --board 9s8d2s --method monte-carlo --samples 1000",
    "equity AsAh KdKc QdQh JdJh 9s9h --method monte-carlo --samples 1000",
    "rank As Kd Qh Jc Ts",
    "holdem solve river.toml --iterations 20 --out river.rb",
    "holdem solve raked.toml --iterations 20 --threads 2",
    "holdem solve turn.toml --iterations 20 --threads 2 --out turn.rb",
    "holdem solve flop.toml --iterations 10 --out flop.rb",
    "holdem solve flop.toml --iterations 10 --threads 2 --lock r:0=check:1 --out locked.rb",
    "holdem solve flop.toml --iterations 10 --without rivers --out short.rb",
    "holdem view flop.rb --node r:0:c --hands QQ+",
    "holdem view short.rb --node r:0:c",
    "holdem drill flop.rb --side ip --hands 2",
    "exploit river.rb calls-too-much --confidence 0.5 --iterations 4",
    "holdem report solve flop.toml --flops subset:1 --target 20%",
    "holdem show",
    "holdem show --path r6 --hand AsKd",
    "holdem show --path r6c --board 'Qs Js 2d'",
    "train holdem --config headsup-small --iterations 2000 --out small.rb",
    "train holdem --config sixmax-small --iterations 2000 --threads 2 --out six.rb",
    "train holdem --config kuhn.toml --iterations 50 --out tiny.rb",
    "train holdem --config kuhn.toml --iterations 50 --workers 1 --parts 2 --out parts.rb",
    "holdem book --from six.rb --deals 100 --min-chance 0.02 --out book.rb",
    "holdem strength small.rb --deals 4 --lbr 2",
    "holdem strength six.rb --deals 4",
    "holdem strength search:shipped?seconds=0.2&iterations=4 --lbr 2",
    "holdem strength search:shipped?iterations=1&safe=0&flop=0 --against blueprint --deals 2",
    "match holdem blueprint:shipped holdem:rules --hands 10",
    "abstraction bucket AsKd 'Qs Js 2d'",
    "play holdem --phh mine.phhs --hands 2 --seed 1",
    "play holdem --against search?seconds=0.2&iterations=4 --hands 2 --seed 1",
    "play leduc --hint --hands 2",
    "play blackjack --hands 2",
    "review mine.phhs --worst 5",
    "demo",
)

PARTS = {
    "long": tuple(line for line in TOUR if "small.rb" in line),
    "others": tuple(line for line in TOUR if "small.rb" not in line),
}
"""Neither reads what the other writes; each takes about as long as the other."""

UNREACHED = {
    "needs an extra": ("interop._gymnasium_",),
    "prepares a GPU's work": (
        "solvers._cfr_kernels.fill_rules",
        "trees._public_kernels.number_levels",
    ),
    "is for many hands at once, in Python": (
        "cards._strength_kernels.first_repeat",
        "cards._strength_kernels.strengths_of_",
    ),
    "is for a player at a table over TCP": (
        "twentyone.learning._dealing_kernels.dealer_in_hindsight",
        "twentyone.learning._q_kernels.credit",
    ),
    "takes over a round's result from other machines": (
        "holdem.blueprints._difference_kernels.set_numbers",
    ),
    "stands in for a table that every wheel has": ("cards._equity_kernels.count_pair",),
}
"""Kernels that no command needs, by the beginning of their names, and why."""


def kernels_of(package: Path) -> set[str]:
    """The kernels of a package that are kept when they are compiled: MODULE.FUNCTION."""
    found = set()
    for path in package.rglob("*.py"):
        module = ".".join(path.relative_to(package).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef):
                marks = " ".join(map(ast.unparse, node.decorator_list))
                if "njit(cache=True" in marks and "inline='always'" not in marks:
                    found.add(f"{module}.{node.name}")
    return found


def unreached(package: Path, folder: Path) -> list[str]:
    """The kernels of a package that the tour has not compiled into a folder, without a reason."""
    names = (path.name.removeprefix("riverboat.") for path in folder.glob("*.nbi"))
    compiled = {name.rpartition("-")[0] for name in names}
    excused = tuple(beginning for each in UNREACHED.values() for beginning in each)
    missing = kernels_of(package) - compiled
    return sorted(name for name in missing if not name.startswith(excused))


def run(line: str) -> tuple[int, str]:
    """Run one command in this process: the exit code and what it printed."""
    from riverboat.cli.main import run as run_command

    out = io.StringIO()
    sys.stdin = io.StringIO("c\n" * 200)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            run_command(shlex.split(line))
        except SystemExit as stopped:
            return (stopped.code if isinstance(stopped.code, int) else 1), out.getvalue()
    return 0, out.getvalue()


def count_three_hands() -> None:
    """A bit of everything that `holdem preflop` counts for three players."""
    import numpy as np

    from riverboat.holdem.preflop._three_way import NUM_TRIPLES, ThreeWayCounter

    counter, out = ThreeWayCounter(), np.zeros((NUM_TRIPLES, 13), np.uint32)
    counter.write_three(out)
    counter.add_two(0, out)
    counter.add_one(0, [0], out)
    next(counter.add_plain(2))(out)


def main() -> int:
    """Run the tour or a part of it; the exit code says whether every command ended well."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    lines = PARTS[part] if part else TOUR
    compiled: list[str] = []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("RIVERBOAT_CACHE", "RIVERBOAT_DATA"):
            os.environ[name] = str(Path(folder) / name.lower())
        os.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        listen(compiled)
        for line in lines:
            before, start = len(compiled), time.process_time()
            code, out = run(line)
            spent = time.process_time() - start
            print(f"{len(compiled) - before:4d} {spent:7.2f}  {line}", flush=True)
            if code:
                failed += 1
                print(f"     exit code {code}: {out.strip()[-300:]}", flush=True)
        if part != "long":
            count_three_hands()
        os.chdir("/")
    print(f"{len(compiled)} kernels compiled; {failed} of {len(lines)} commands failed")
    return int(failed > 0)


def listen(compiled: list[str]) -> None:
    """Note the name of each kernel that Numba compiles in this process."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, found: event.Event) -> None:
            compiled.append(found.data["dispatcher"].py_func.__qualname__)

        def on_end(self, found: event.Event) -> None:
            pass

    event.register("numba:compile", Listener())


if __name__ == "__main__":
    sys.exit(main())
