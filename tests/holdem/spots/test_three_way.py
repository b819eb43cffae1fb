"""Spots of three players: what the solver finds against slow counting, games and spots for two."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import riverboat as rb
from exact_three_way import RIVER, TURN, Doubles, Found, SmallRiver, slow_values
from riverboat.cards.combos import parse_combo
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.base import parameters_of
from riverboat.games.kuhn import Kuhn
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.holdem.spots.tree import NodeKind, TreeNode
from riverboat.solvers.algorithms import BEST


def three(text: str) -> ThreeWaySpot:
    return ThreeWaySpot.from_toml(text)


def solved_after(text: str, iterations: int, **options: object) -> SpotSolver:
    solver = make_solver(three(text), **options)  # type: ignore[arg-type]
    solver.step(iterations)
    return solver


@pytest.mark.parametrize("text", [RIVER, RIVER.replace("pot = 30", 'pot = 30\nfolded = "bb"')])
def test_a_river_equals_the_slow_count(text: str) -> None:
    solver = solved_after(text, 40)
    found, solved = solver.evaluation(), solver.result()

    def strategies(node: TreeNode, dealt: tuple[int, ...]) -> Doubles:
        return solved.strategy(node, 0)

    for seat in range(3):
        for best, fast in ((False, found.ev), (True, found.best)):
            slow = slow_values(solver.spot, strategies, seat, best=best)
            assert fast[seat] == pytest.approx(slow, abs=1e-5 * solver.spot.pot)


@pytest.mark.slow
def test_a_turn_equals_the_slow_count_over_every_river() -> None:
    solver = solved_after(TURN, 12)
    found, solved = solver.evaluation(), solver.result()

    def strategies(node: TreeNode, dealt: tuple[int, ...]) -> Doubles:
        board, renamed = solver.layout.boards.find(dealt)
        assert (renamed == np.arange(52)).all()
        return solved.strategy(node, board)

    for seat in range(3):
        for best, fast in ((False, found.ev), (True, found.best)):
            slow = slow_values(solver.spot, strategies, seat, best=best)
            assert fast[seat] == pytest.approx(slow, abs=1e-5 * solver.spot.pot)


def test_a_river_is_the_same_game_on_the_core_s_tree() -> None:
    text = RIVER.replace("KhQh,KcQc:0.5,9s8s", "KhQh,9s8s").replace("ThTd,5s5c", "5s5c")
    solver = solved_after(text, 60)
    mine, game = solver.evaluation(), SmallRiver(three(text).to_toml())
    theirs = evaluate(game, Found(solver.result(), game))
    assert mine.ev == pytest.approx(theirs.value, abs=1e-6 * 30)
    assert mine.best == pytest.approx(theirs.best_response, abs=1e-6 * 30)


KUHN = """\
board = "As Ks Qs 9h 8d"
pot = 3
stack = 1
[ranges]
one = "2c2d,3c3d,4c4d,5c5d"
two = "2c2d,3c3d,4c4d,5c5d"
three = "2c2d,3c3d,4c4d,5c5d"
[sizes.river]
one = { bet = "a" }
two = { bet = "a" }
three = { bet = "a" }
"""


def test_three_player_kuhn_poker_through_the_same_kernels() -> None:
    """Four hands that share no card are four ranks; antes are the pot, a bet is all-in."""
    solver = make_solver(three(KUHN))
    solver.step(400)
    solved, found = solver.result(), solver.evaluation()

    class AsKuhn:
        game, parameters = "kuhn", parameters_of(Kuhn(players=3))

        def lookup(self, player: int, infoset: str) -> dict[str, float] | None:
            card, bets = infoset.split("|")
            node = solved.tree.nodes[0]
            for word in bets:
                node = solved.tree.nodes[node.children[word == "b"]]
            row = solved.strategy(node, 0)[:, "TJQK".index(card)].tolist()
            # Before a bet: check, bet; after it: fold, call.
            return dict(zip("pb", row, strict=True))

    theirs = evaluate(Kuhn(players=3), AsKuhn())
    assert [value - 1 for value in found.ev] == pytest.approx(theirs.value, abs=1e-6)
    assert [value - 1 for value in found.best] == pytest.approx(theirs.best_response, abs=1e-6)
    assert theirs.nash_conv < 5e-3


def two_players(text: str, folded: str, cards: str) -> Spot:
    """The same spot for two, the cards of the third dead."""
    names = [name for name in ("sb", "bb", "btn") if name != folded]
    spot = three(text)
    seats = [spot.names.index(name) for name in names]
    sizes = {street: (rows[seats[0]], rows[seats[1]]) for street, rows in spot.sizes.items()}
    return Spot(
        spot.board, spot.pot, min(spot.stacks[s] for s in seats),
        (spot.ranges[seats[0]], spot.ranges[seats[1]]), spot.rake_rate, spot.rake_cap,
        sizes, dead=tuple(rb_cards(cards)),
    )  # fmt: skip


def rb_cards(text: str) -> list[int]:
    from riverboat.cards.card import parse_cards

    return parse_cards(text)


WIDE = """\
board = "Ks Th 7s 4d"
pot = 30
stack = 40
folded = "bb"
[ranges]
sb = "AA,KQ,T9s,88,55"
bb = "KhQh"
btn = "KJ,QQ,A7s,66"
[sizes.turn]
sb = { bet = "60%", raise = "a" }
bb = { bet = "60%" }
btn = { bet = "60%", raise = "a" }
"""


def copy_profile(pair: SpotSolver, solver: SpotSolver, seats: tuple[int, int]) -> None:
    """Play the averages of two players in a spot of three; both trees list nodes alike."""
    solved, layout = pair.result(), solver.layout
    pairs = zip(pair.layout.tree.nodes, layout.tree.nodes, strict=True)
    for theirs, mine in pairs:
        assert [action.label for action in theirs.actions] == [a.label for a in mine.actions]
        if not mine.actions:
            continue
        own = pair.layout.combos[theirs.player].tolist()
        place = {combo: i for i, combo in enumerate(layout.combos[seats[theirs.player]].tolist())}
        columns = [place[combo] for combo in own]
        street = mine.street - solver.spot.street
        for board, cards in enumerate(layout.boards.levels[street].cards.tolist()):
            if not set(cards) & set(pair.spot.dead):
                found = pair.layout.boards.find(cards)[0]
                start, width = layout.start(mine, board), layout.widths[mine.player]
                rows = solver.averages[mine.player].values[
                    start : start + len(mine.actions) * width
                ]
                rows.reshape(-1, width)[:, columns] = solved.strategy(theirs, found)


def same_as_two(text: str, dead: str, iterations: int) -> SpotSolver:
    """Two solvers agree on a profile, and each on what it found, as far as its gains allow."""
    pair = make_solver(two_players(text, "bb", dead), isomorphism=False)
    pair.step(iterations)
    theirs = pair.evaluation()
    solver = make_solver(three(text), isomorphism=False)
    copy_profile(pair, solver, (0, 2))
    mine = solver.evaluation()
    assert (mine.ev[0], mine.ev[2]) == pytest.approx(theirs.ev, abs=1e-5 * 30)
    assert (mine.best[0], mine.best[2]) == pytest.approx(theirs.best, abs=1e-5 * 30)
    assert (mine.ev[1], mine.gains[1]) == pytest.approx((0, 0), abs=1e-5)
    for numbers, *_ in solver.averages:
        numbers[...] = 0
    solver.step(iterations)
    found = solver.evaluation()
    allowed = found.total + 2 * theirs.exploitability + 1e-4
    assert abs(found.ev[0] - theirs.ev[0]) <= allowed
    return solver


@pytest.mark.e2e
def test_one_who_folded_before_only_blocks() -> None:
    """A third player with one hand who folded: the solver for two with these cards dead."""
    same_as_two(WIDE, "Kh Qh", 30)


@pytest.mark.e2e
def test_a_flop_with_a_third_who_folded_is_a_flop_of_two() -> None:
    """Two cards to come: every turn and river of both solvers, hand by hand."""
    text = WIDE.replace('"Ks Th 7s 4d"', '"Ks Th 7s"').replace("sizes.turn", "sizes.flop")
    text = text.replace("AA,KQ,T9s,88,55", "AsAh,KdQd,8c8d").replace(
        "KJ,QQ,A7s,66", "KcJc,QsQc,6d6c"
    )
    same_as_two(text.replace(', raise = "a"', ""), "Kh Qh", 4)


ALL_IN = """\
board = "Ks Th 7s 4d 2c"
pot = 30
stacks = { sb = 40, bb = 0, btn = 40 }
[ranges]
sb = "AA,KQ,T9s,88,55"
bb = "5c3c"
btn = "KJ,QQ,A7s,66"
[sizes.river]
sb = { bet = "60%,a", raise = "a" }
bb = {}
btn = { bet = "60%", raise = "a" }
"""


def test_one_who_is_all_in_with_the_worst_hand_is_dead_money() -> None:
    """They never act and never win, so the others play for the pot as two do."""
    solver = same_as_two(ALL_IN, "5c 3c", 40)
    assert not any(node.player == 1 for node in solver.layout.tree.nodes if node.actions)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_dead_cards_may_leave_just_those_that_are_dealt(cards: int) -> None:
    """Three hands of one combo each, and no other runout than 5d 7d, in one order or the other."""
    board, live = ["2c", "3c", "4c", "5d", "7d"], ["As", "Ah", "Ks", "Kh", "Qs", "Qh"]
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    dead = [card for card in deck if card not in (*board, *live)]
    street = {3: "flop", 4: "turn", 5: "river"}[cards]
    found = rb.solve(
        rb.spot(
            f'board = "{" ".join(board[:cards])}"\npot = 30\nstack = 40\n'
            f'dead = "{" ".join(dead)}"\n[ranges]\nsb = "AsAh"\nbb = "KsKh"\nbtn = "QsQh"\n'
            f'[sizes.{street}]\nsb = {{ bet = "a" }}\nbb = {{}}\nbtn = {{}}\n'
        ),
        iterations=30,
    )
    assert sum(found.info["ev"]) == pytest.approx(30, abs=1e-3)
    assert found.info["ev"][0] > 29


def test_any_number_of_threads_gives_the_same_bits_and_resume_is_exact(tmp_path: Path) -> None:
    one, two = (make_solver(three(TURN), threads=threads) for threads in (1, 3))
    one.step(6)
    with two.pooled():
        two.step(4)
    two.save(tmp_path / "half.rb")
    again = SpotSolver.load(tmp_path / "half.rb", threads=2)
    again.step(2)
    for mine, theirs in zip(
        (*one.regrets, *one.averages), (*again.regrets, *again.averages), strict=True
    ):
        assert np.array_equal(mine.values, theirs.values)


def test_symmetric_suits_are_solved_once_with_the_same_result() -> None:
    text = TURN.replace('"Ks Th 7s 4d"', '"Ks Ts 7s 4d"')
    for old, new in (("KhQh,9s8s,7h7d", "KQ,88"), ("KcJc,5s5c,AcJc", "55,AJs"),
                     ("KdQd,4h4c,QsJs", "44,QJs")):  # fmt: skip
        text = text.replace(old, new)
    whole, classes = (make_solver(three(text), isomorphism=each) for each in (False, True))
    assert classes.layout.boards.num_boards[1] < whole.layout.boards.num_boards[1]
    for solver in (whole, classes):
        solver.step(25)
    assert classes.evaluation().ev == pytest.approx(whole.evaluation().ev, abs=1e-3)


def test_a_run_stops_at_a_target_for_the_sum_of_gains() -> None:
    found = rb.solve(rb.spot(RIVER), target="0.3%")
    assert isinstance(found, SolvedSpot)
    assert 0 <= found.info["gain_sum"] <= 0.003 * 30
    assert found.info["gain_sum"] == pytest.approx(sum(found.info["gains"]))
    assert all(gain >= -1e-5 for gain in found.info["gains"])


def test_a_lock_is_kept_and_a_best_response_keeps_to_it() -> None:
    locks = [Lock("r:0", {"check": 1.0}), Lock("r:0:c", {"check": 0.25, "bet 15": 0.75}, "KhJh")]
    solver = make_solver(three(RIVER), locks=locks)
    solver.step(30)
    solved = solver.result()
    assert np.allclose(solved.at("r:0").strategies[0], 1)
    answer = solved.at("r:0:c").figures("KhJh").strategy
    assert answer is not None
    assert answer["bet 15"] == pytest.approx(0.75)
    free = make_solver(solver.layout)
    for mine, kept in zip(free.averages, solver.averages, strict=True):
        mine.values[...] = kept.values
    # Without the lock the best response may bet at the root, which is worth at least as much.
    bound, unbound = (each.layout.mean(0, each.pass_values(0, BEST)) for each in (solver, free))
    assert bound <= unbound + 1e-6


@pytest.mark.parametrize("text", [RIVER, TURN])
def test_a_file_reads_back_as_it_was(text: str, tmp_path: Path) -> None:
    solver = solved_after(text, 5)
    solver.result().save(tmp_path / "spot.rb")
    again = rb.load(tmp_path / "spot.rb")
    assert isinstance(again, SolvedSpot)
    assert again.spot == solver.spot
    for player in range(3):
        mine, theirs = solver.result().at().evs(player), again.at().evs(player)
        assert np.array_equal(mine, theirs, equal_nan=True)


def test_a_cursor_s_figures_are_consistent() -> None:
    solver = solved_after(TURN, 30)
    solved, found = solver.result(), solver.evaluation()
    root = solved.at()
    for player in range(3):
        assert root.summary(player).ev == pytest.approx(found.ev[player], abs=1e-4)
    assert sum(root.summary(player).equity for player in range(3)) == pytest.approx(1, abs=1e-5)
    waiting, seen = [root], 0
    while waiting and seen < 40:
        at = waiting.pop()
        seen += 1
        if at.kind == NodeKind.CHANCE:
            waiting.append(at.deal("2c"))
            continue
        if at.player < 0:
            continue
        # The EV of a hand is that of its actions, as often as it takes each.
        shares, values = at.strategies, at.action_evs()
        mixed = (shares * values).sum(axis=0)
        live = (at.weights(at.player) > 0) & (at.meetings(at.player) > 1e-6)
        np.testing.assert_allclose(mixed[live], at.evs(at.player)[live], atol=2e-3)
        fold = [i for i, action in enumerate(at.bet_actions) if action.letter == "F"]
        assert all(np.allclose(values[i][live], 0) for i in fold)
        waiting += [at.play(action) for action in at.actions]
    all_in = solved.at().play("all-in").play("call").play("call")
    assert [(pot.chips, pot.contenders) for pot in all_in.pots] == [
        (30 + 75, (0, 1, 2)),
        (30, (0, 2)),
    ]


def test_what_a_hand_wins_at_the_end_adds_up() -> None:
    solved = solved_after(RIVER, 5).result()
    hands = [parse_combo(text) for text in ("KhQh", "AcJc", "8c8d")]
    for line in itertools.islice(_ends(solved), 12):
        taken = line.payout(hands)
        total = 30 + sum(line.node.put)
        called = total - sum(max(0, p - sorted(line.node.put)[-2]) for p in line.node.put)
        assert sum(taken) == pytest.approx(total - line.solved.spot.rake(called))


def _ends(solved: SolvedSpot):  # type: ignore[no-untyped-def]
    waiting = [solved.at()]
    while waiting:
        at = waiting.pop()
        if at.player < 0:
            yield at
        waiting += [at.play(action) for action in at.actions]
