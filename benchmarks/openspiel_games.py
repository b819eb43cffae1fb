"""Twenty of OpenSpiel's games: solved here and there, and how fast their trees are built.

    python benchmarks/openspiel_games.py              # prints the table of notes/core.md
    python benchmarks/openspiel_games.py --cap 10 kuhn_poker leduc_poker

For each game: the value by our solver and by OpenSpiel's C++ CFR+ (pyspiel.CFRPlusSolver), the
NashConv of our strategy measured here and by pyspiel.nash_conv, and processor seconds to a NashConv
of 1e-3. Ours count the building of the tree and the solver with its checks; OpenSpiel's count its
iterations alone, looked at each time they have grown by 40 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import pyspiel

import riverboat as rb
from riverboat.games.registry import make_game
from riverboat.interop.openspiel_players import strategy_policy
from riverboat.interop.openspiel_tree import OpenSpielWalk
from riverboat.trees.game_tree import build_tree

TARGET = 1e-3
GAMES = (
    "kuhn_poker",
    "misere(game=kuhn_poker())",
    "leduc_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(dice_sides=3)",
    "liars_dice(dice_sides=4)",
    "liars_dice(dice_sides=5)",
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "goofspiel(imp_info=True,num_cards=5,points_order=descending)",
    "goofspiel(imp_info=True,num_cards=4)",
    "oshi_zumo(coins=4,horizon=4,size=1)",
    "blotto(coins=5,fields=3)",
    "matrix_rps",
    "matrix_brps",
    "coordinated_mp",
    "dark_hex(board_size=2)",
    "hex(board_size=2)",
    "dots_and_boxes(num_cols=2,num_rows=1)",
    "connect_four(columns=3,rows=3,x_in_row=3)",
    "nim(pile_sizes=2;3;4)",
)


def seconds(work: Any) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def bare_walk(game: Any) -> int:
    """What no builder in Python can do without: every state once, its player, text and moves."""
    stack, count = [game.new_initial_state()], 0
    while stack:
        state = stack.pop()
        count += 1
        player = state.current_player()
        if player >= 0:
            state.information_state_string()
        if player == pyspiel.PlayerId.TERMINAL:
            state.returns()
            continue
        stack += [state.child(action) for action in state.legal_actions()]
    return count


def their_solution(game: Any, cap: float) -> tuple[float | None, float]:
    """Processor seconds of CFR+ to the target, None where the cap came first, and the value."""
    solver, spent, done, look = pyspiel.CFRPlusSolver(game), 0.0, 0, 1
    while True:
        began = time.process_time()
        for _ in range(look - done):
            solver.evaluate_and_update_policy()
        spent += time.process_time() - began
        done, look = look, max(look + 1, round(look * 1.4))
        average = solver.average_policy()
        reached = pyspiel.nash_conv(game, average) <= TARGET
        if reached or spent > cap:
            start = game.new_initial_state()
            value = pyspiel.expected_returns(start, average, -1, True, 0.0)[0]
            return spent if reached else None, value


def tabular(policy: Any) -> Any:
    """Our strategy as OpenSpiel's C++ policy."""
    stack, table = [policy.game.new_initial_state()], {}
    while stack:
        state = stack.pop()
        if state.current_player() >= 0:
            text = state.information_state_string()
            if text not in table:
                table[text] = sorted(policy.action_probabilities(state).items())
        stack += [state.child(action) for action in state.legal_actions()]
    return pyspiel.TabularPolicy(table)


def row(text: str, cap: float) -> str:
    game = make_game(f"openspiel:{text}")
    built, tree = seconds(lambda: build_tree(game))
    walked = min(seconds(lambda: OpenSpielWalk(game, True, None).run())[0] for _ in range(2))
    bare = min(seconds(lambda: bare_walk(game.inner))[0] for _ in range(2))
    solved, result = seconds(lambda: rb.solve(game, target=TARGET / 2))
    there = pyspiel.nash_conv(game.inner, tabular(strategy_policy(result.strategy)))
    their_seconds, their_value = their_solution(game.inner, cap)
    shown = f"> {cap:g}" if their_seconds is None else f"{their_seconds:.3g}"
    per_second = [f"{tree.num_histories / s:,.0f}" for s in (built, walked, bare)]
    small = tree.num_histories < 2_000
    cells = (
        f"`{text}`",
        f"{tree.num_histories:,}",
        f"{tree.num_infosets:,}",
        f"{result.value[0]:+.5f}",
        f"{their_value:+.5f}",
        f"{result.evaluation.nash_conv:.2g}",
        f"{there:.2g}",
        f"{solved:.3g}",
        shown,
        *(["–"] * 3 if small else per_second),
    )
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--cap", type=float, default=60.0, help="seconds for OpenSpiel's solver")
    options = parser.parse_args()
    rb.solve("openspiel:leduc_poker", target=1e-3)  # compiles
    rb.solve("openspiel:leduc_poker", algorithm="dcfr", iterations=2)
    heads = (
        "game", "histories", "infosets", "value here", "value there", "NashConv here",
        "NashConv there", "s here", "s there", "built per s", "walked per s", "bare walk per s",
    )  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for text in options.games:
        print(row(text, options.cap), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
