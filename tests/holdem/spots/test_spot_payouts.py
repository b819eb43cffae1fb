"""Spots that are played for prizes: closed forms, the linear case, files and refusals."""

from itertools import permutations

import pytest

import riverboat as rb
from commands import Command
from riverboat.errors import RiverboatError
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots.form import SpotForm
from riverboat.holdem.spots.spot import Spot

RIVER = """
board = "Ks Kh 7d 2c 3s"
pot = 20
stack = 30
[ranges]
oop = "KdQd,JdTd,JhTh"
ip = "AdAh"
[sizes.river]
oop = { bet = "a" }
[payouts]
places = [50, 30, 20]
others = [40, 25]
"""
PRIZES, OTHERS = (50.0, 30.0, 20.0), (40.0, 25.0)


def prizes(*stacks: float) -> list[float]:
    """ICM by all finishing orders; who has no chips is last."""
    found = [0.0] * len(stacks)
    live = [seat for seat, chips in enumerate(stacks) if chips]
    for order in permutations(live):
        chance, left = 1.0, sum(stacks)
        for seat in order:
            chance, left = chance * stacks[seat] / left, left - stacks[seat]
        for place, seat in enumerate(order):
            found[seat] += chance * (PRIZES[place] if place < len(PRIZES) else 0.0)
    for seat in set(range(len(stacks))) - set(live):
        found[seat] = PRIZES[len(live)] if len(live) < len(PRIZES) else 0.0
    return found


def after(oop: float, ip: float) -> list[float]:
    return prizes(oop, ip, *OTHERS)


def test_a_bet_for_prizes_makes_both_indifferent():
    """The nuts or air against a hand that beats air: fewer bluffs and folds by ICM, exactly."""
    solved = rb.spot(RIVER).solve(iterations=4000)
    at = solved.at("r:0")
    bet = dict(zip(at.hands(0), at.strategies[1], strict=True))
    assert bet["KdQd"] > 0.999
    # The caller's price: bluffs are as frequent as makes calling and folding worth the same.
    folds, loses, wins = after(50, 30)[1], after(80, 0)[1], after(0, 80)[1]
    price = (folds - loses) / (wins - loses)
    bluffs = bet["JdTd"] + bet["JhTh"]
    assert bluffs / (1 + bluffs) == pytest.approx(price, abs=0.005)
    # The bluffer's: calls are as frequent as makes bluffing and giving up worth the same.
    gives_up, caught, through = after(30, 50)[0], after(0, 80)[0], after(50, 30)[0]
    calls = (through - gives_up) / (through - caught)
    answer = at.play("all-in")
    assert answer.strategies[1][0] == pytest.approx(calls, abs=0.005)
    # In chips the caller would need 30 for 80 and call two hands in five.
    assert price > 30 / 80 + 0.02
    assert solved.info["exploitability_pct"] < 0.1
    # EVs are prizes: a fold leaves the caller what the stacks are worth.
    folded = dict(zip(answer.actions, answer.action_evs()[:, 0], strict=True))
    assert folded["fold"] == pytest.approx(folds, abs=1e-4)
    air = at.hands(0).index("JdTd")
    assert at.action_evs()[0][air] == pytest.approx(gives_up, abs=1e-4)


def test_prizes_in_proportion_to_chips_change_nothing():
    """Two players for one prize: ICM is linear, so the solution is that of chips."""
    chips = RIVER.partition("[payouts]")[0]
    one = rb.spot(chips).solve(iterations=500)
    other = rb.spot(chips + "[payouts]\nplaces = [160]\n").solve(iterations=500)
    for line in ("r:0", "r:0:b30"):
        gap = abs(one.at(line).strategies - other.at(line).strategies).max()
        assert gap < 1e-3, line
    for player in (0, 1):
        assert other.info["ev"][player] == pytest.approx(2 * (30 + one.info["ev"][player]))
        assert other.at().evs(player) == pytest.approx(2 * (30 + one.at().evs(player)), rel=1e-4)
    assert other.info["exploitability_pct"] == pytest.approx(
        one.info["exploitability_pct"], rel=0.05
    )


def test_bounties_and_deeper_stacks_count():
    spot = rb.spot(RIVER + "bounty = 7\nstacks = [45, 30]\n")
    # OOP covers: IP is out and pays a bounty; OOP has fifteen chips left after losing.
    won, _, lost = spot.payoffs(0, 30.0)
    assert won + spot.center(0) == pytest.approx(prizes(95, 0, *OTHERS)[0] + 7)
    assert lost + spot.center(0) == pytest.approx(prizes(15, 80, *OTHERS)[0])
    assert spot.payoffs(1, 30.0)[2] + spot.center(1) == pytest.approx(prizes(95, 0, *OTHERS)[1])


def test_streets_that_were_left_out_are_solved_for_prizes(tmp_path):
    text = RIVER.replace("7d 2c 3s", "7d 2c").replace("sizes.river", "sizes.turn")
    solved = rb.spot(text).solve(iterations=300)
    solved.save(tmp_path / "turn.rb", without="rivers")
    line = "r:0:c:c:3s"
    again = rb.load(tmp_path / "turn.rb").at(line)
    assert again.solved.spot.payouts == solved.spot.payouts
    assert again.summary(0).ev == pytest.approx(solved.at(line).summary(0).ev, abs=0.2)


def test_the_text_reads_back():
    spot = rb.spot(RIVER + "bounty = 7\nstacks = [45, 30]\n")
    assert spot.payouts == Payouts(PRIZES, OTHERS, (7.0, 7.0), (45.0, 30.0))
    assert Spot.from_toml(spot.to_toml()) == spot
    assert SpotForm.of(spot).spot().payouts == spot.payouts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("places = [20, 50]", "never rise"),
        ("others = [5]", "needs places"),
        ("places = [5]\nothers = [0]", "above 0"),
        ("places = [5, 4, 3]", "3 prizes for 2 players"),
        ("places = [5]\nothers = [1,1,1,1,1,1,1,1,1]", "up to 10 players"),
        ("places = [5]\nbounty = [1, 2, 3]", "one for each"),
        ("places = [5]\nbounty = -1", "from 0 on"),
        ("places = [5]\nstacks = [31, 40]", "shorter of payouts.stacks"),
        ("places = ['a']", "takes numbers"),
        ("places = [5]\nprize = 1", "no key"),
        ("places = [5]\n[rake]\nrate = 0.05\ncap = 1", "not raked"),
    ],
)
def test_bad_payouts_are_one_sentence(text, words):
    with pytest.raises(RiverboatError, match=words):
        rb.spot(RIVER.partition("places")[0] + text + "\n")


def test_the_command_counts_in_prizes(command: Command, tmp_path):
    (tmp_path / "spot.toml").write_text(RIVER)
    arguments = ("holdem", "solve", tmp_path / "spot.toml", "--iterations", 50)
    facts = command(*arguments, "--json").json
    assert facts["unit"] == "prizes"
    assert sum(facts["ev"]) < sum(PRIZES)
    assert min(facts["gains"]) > -1e-4
    assert "prizes" in command(*arguments).out
