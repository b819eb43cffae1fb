"""Tree scripts of PioSOLVER: what is written is read back to the same tree, the rest is refused."""

from importlib import resources

import pytest

from riverboat.cards.card import parse_cards
from riverboat.errors import UsageError
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import build_tree

FLOP = """board = "Qs Jh 2h"
pot = 180
stack = 910.5
[ranges]
oop = "AA,KK:0.5,A5s:0.25"
ip = "99,88,AJs"
"""
SIZES = """[sizes.flop]
oop = { bet = "33%,75%,100c", raise = "60%,2.5x", donk = "50%" }
ip = { bet = "52.5%", raise = "45%,a" }
[sizes.turn]
oop = { bet = "2e" }
ip = { bet = "e" }
"""


def tree_of(spot):
    return [(node.kind, node.player, node.put, node.actions) for node in build_tree(spot).nodes]


@pytest.mark.parametrize(
    "text",
    [
        FLOP + SIZES,
        FLOP + SIZES + '[sizes.river]\noop = { bet = "70%", donk = "" }\nip = {}\n',
        FLOP + SIZES + "[tree]\nallin_below_spr = 2.5\nforce_allin = 0.4\nmerge = 0.1\n",
        FLOP.replace("2h", "2h 8d") + SIZES + "[rake]\nrate = 0.05\ncap = 3\n",
        FLOP.replace("2h", "2h 8d 3c") + SIZES + "[tree]\nallin_below_spr = 1e9\n",
    ],
)
def test_what_is_written_is_read_back_to_the_same_tree(text):
    spot = Spot.from_toml(text)
    script = spot.to_pio_script()
    assert script.startswith("#Type#NoLimit\n#Range0#AA,KK:0.5,A5s:0.25\n")
    back = Spot.from_toml(script)
    assert tree_of(back) == tree_of(spot)
    same = ("board", "pot", "stacks", "ranges", "rake_rate", "rake_cap", "tree")
    assert all(getattr(back, name) == getattr(spot, name) for name in same)


def test_a_script_names_the_percentages_as_the_other_program_does():
    lines = Spot.from_toml(FLOP + SIZES).to_pio_script().splitlines()
    assert "#FlopConfig.BetSize#33,75,100c" in lines
    assert "#FlopConfig.DonkBetSize#50" in lines
    assert "#FlopConfigIP.RaiseSize#45,a" in lines
    assert "#EffectiveStacks#910.5" in lines


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[tree]\nraises = 2\n", "how many raises"),
        ('[tree]\nadd = ["X-B33"]\n', "which lines"),
        ("[payouts]\nplaces = [50, 30]\nothers = [40]\n", "which prizes"),
    ],
)
def test_what_a_script_has_no_words_for_is_refused(more, words):
    with pytest.raises(UsageError, match=f"cannot say {words}"):
        Spot.from_toml(FLOP + more).to_pio_script()


def test_three_players_omaha_and_dead_cards_are_refused():
    for name, words in (("threeway.toml", "three players"), ("omaha.toml", "the game is omaha")):
        text = (resources.files("riverboat") / "examples" / name).read_text()
        with pytest.raises(UsageError, match=words):
            Spot.from_toml(text).to_pio_script()
    spot = Spot.from_toml(FLOP)
    dead = Spot(spot.board, spot.pot, spot.stacks, spot.ranges, dead=parse_cards("3c"))
    with pytest.raises(UsageError, match="which cards are dead"):
        dead.to_pio_script()
