"""Spots: reading and writing, the betting they lead to, and what is refused."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.errors import RiverboatError
from riverboat.holdem.spots.spot import Spot, make_spot
from riverboat.holdem.spots.tree import SpotTree, build_tree
from spot_references import reference, spot_from_lines, spot_from_sizes

HEAD = 'board = "{board}"\npot = {pot}\nstack = {stack}\n[ranges]\noop = "{oop}"\nip = "{ip}"\n'
SIZES = '[sizes.flop]\noop = { bet = "50%" }\nip = { bet = "50%", raise = "50%" }\n'


def text(sizes: str = SIZES, **changes: object) -> str:
    values = {"board": "Ks Td 7c 4h 2s", "pot": 100, "stack": 300, "oop": "AA,KK", "ip": "QQ"}
    return HEAD.format(**{**values, **changes}) + sizes


def lines_of(tree: SpotTree) -> set[str]:
    """Every bet, raise and all-in with the line that leads there."""
    found: set[str] = set()
    waiting = [(tree.nodes[0], "")]
    while waiting:
        node, line = waiting.pop()
        labels = [action.label for action in node.actions] or [""] * len(node.children)
        for label, child in zip(labels, node.children, strict=True):
            path = f"{line}-{label}".strip("-") if label else line
            if label[:1] in tuple("BRA"):
                found.add(path)
            waiting.append((tree.nodes[child], path))
    return found


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("3betpotfast", ""),
        ("river_full", "force_allin = 0.45"),
        ("turn_full", "force_allin = 0.45"),
    ],
)
def test_sizes_and_lines_give_the_tree_of_the_other_solver(name: str, options: str) -> None:
    data = reference(name)
    for spot in (spot_from_lines(data), spot_from_sizes(data, options)):
        tree = build_tree(spot)
        assert tree.num_decisions == data["decision_nodes_per_runout"]
        assert tree.num_terminals == data["terminals_per_runout"]
        assert lines_of(tree) == set(data["lines"])
        assert Spot.from_toml(spot.to_toml()) == spot


@pytest.mark.parametrize(
    ("sizes", "lines"),
    [
        ('oop = { bet = "40c,a" }', {"B40", "A300"}),
        # A raise of 50 % adds half of the pot after the call, (100 + 2·50) / 2, to the bet.
        ('oop = { bet = "50%" }\nip = { raise = "50%,3x,60c" }', {"B50", "B50-R110", "B50-R150"}),
        # One street left: all-in; two: x with (1 + 2x)² = 7; capped at 60 %.
        ('oop = { bet = "e,2e,2e60%" }', {"A300", "B82", "B60"}),
        # The least raise doubles the bet.
        ('oop = { bet = "50%" }\nip = { raise = "1%" }', {"B50", "B50-R100"}),
    ],
)
def test_sizes_mean_chips(sizes: str, lines: set[str]) -> None:
    assert lines_of(build_tree(Spot.from_toml(text(f"[sizes.river]\n{sizes}\n")))) == lines


def test_options_change_the_sizes() -> None:
    sizes = '[sizes.river]\noop = { bet = "50%,60%,80%" }\nip = { raise = "60%" }\n'

    def found(options: str) -> set[str]:
        return lines_of(build_tree(Spot.from_toml(text(f"{sizes}[tree]\n{options}\n"))))

    plain = {"B50", "B60", "B80", "B50-R170", "B60-R192", "B80-R236"}
    assert found("") == plain
    # 1.8/1.6 = 1.125 and 1.6/1.5 = 1.07: only the latter is below 1.1.
    assert found("merge = 0.1") == plain - {"B50", "B50-R170"}
    # 236 leaves 64 of 300 chips, 192 leaves 108.
    assert found("force_allin = 0.22") == plain - {"B80-R236"} | {"B80-A300"}
    assert found("raises = 1") == {"B50", "B60", "B80"}
    assert found('add = ["X-B40"]\nremove = ["B60"]') == plain - {"B60", "B60-R192"} | {"X-B40"}
    # After a bet of 80 and its call 220 chips are left to a pot of 260; after raises still fewer.
    raised = {f"{line}-A300" for line in plain if "R" in line}
    assert found("allin_below_spr = 0.9") == plain | raised | {"B80-A300"}


def test_donk_bets_follow_a_call_of_the_other_and_streets_keep_earlier_sizes() -> None:
    sizes = '[sizes.turn]\noop = { bet = "50%", donk = "20%" }\nip = { bet = "50%" }\n'
    tree = build_tree(Spot.from_toml(text(sizes, board="Ks Td 7c 4h")))
    found = lines_of(tree)
    assert {"X-B50-C-B40", "B50-C-B100", "X-X-B50"} <= found
    assert not {"X-B50-C-B100", "B50-C-B40"} & found


@pytest.mark.parametrize(
    ("spot", "reason"),
    [
        (text(board="Ks Td"), "3 to 5 cards"),
        (text(board="Ks Ks 7c 4h 2s"), "appears twice"),
        (text(oop="AsKs,KsKd"), "Every hand of OOP holds a card of the board"),
        (text(ip=""), "range of IP is empty"),
        (text(oop="AsAh", ip="AsKd"), "never meet"),
        (text(stack=0), "stack must be above 0"),
        (text(pot=-1), "pot must be above 0"),
        (text(pot="1e-12"), "pot must be above 0, at least 0.01"),
        (text(pot="1e308"), "at most 10,000,000 chips"),
        (text(pot="9" * 400), "pot"),
        (text(pot="9" * 5000), "a whole number in it is too long"),
        (text(pot='"x"'), "needs pot as a number"),
        (text(stack=10**400), "too large"),
        (text(""), "Nobody can ever bet"),
        (text('[sizes.river]\noop = { bet = "2x" }\n'), "multiplies a bet"),
        (text('[sizes.river]\noop = { bet = "33" }\n'), "is no size"),
        (text('[sizes.river]\noop = { bet = "' + "9" * 5000 + 'e" }\n'), "is no size"),
        (text('[sizes.river]\noop = { bet = "10e" }\n'), "1 to 9 streets"),
        (text('[sizes.river]\nip = { donk = "33%" }\n'), "only OOP can make"),
        (text('[sizes.river]\noop = { bets = "33%" }\n'), "did you mean 'bet'"),
        (text(SIZES + "[tree]\nmerge = 2\n"), "tree.merge must lie"),
        (text(SIZES + "[tree]\nraises = 1.5\n"), "whole number"),
        (text(SIZES + "[tree]\ndepth = 2\n"), "no key of [tree] called 'depth'"),
        (text("rakes = 2\n" + SIZES), "key of [ranges]"),
        (text('[tree]\nlines = ["B50-B100"]\n'), "has B100 where there is a bet"),
        (text('[tree]\nlines = ["X-C"]\n'), "has C where there is no bet"),
        (text('[tree]\nlines = ["B50-A200"]\n'), "all-in is 300"),
        (text('[tree]\nlines = ["B50-R40"]\n'), "50 chips are to be called"),
        (text('[tree]\nlines = ["B400"]\n'), "only 300 chips are left"),
        (text('[tree]\nlines = ["B50-C-X"]\n'), "goes on after the hand is over"),
        (text('[tree]\nlines = ["Z9"]\n'), "is no action"),
        (text(SIZES + '[tree]\nlines = ["B50"]\n'), "sizes contradict"),
        (text(SIZES + '[tree]\nremove = ["B51"]\n'), "no such bet"),
        (
            text(
                '[sizes.river]\noop = { bet = "1c", raise = "1c" }\nip = { raise = "1c" }\n',
                stack=9000,
            ),
            "300 actions in one line",
        ),
        (text(SIZES + "[rake]\nrate = 0.05\n"), "needs cap"),
        (text(SIZES + "[rake]\nrate = 1.5\ncap = 3\n"), "rate lies from 0"),
        ("board = 'Ks", "no TOML"),
    ],
)
def test_bad_spots_are_refused_with_the_reason(spot: str, reason: str) -> None:
    with pytest.raises(RiverboatError) as error:
        build_tree(Spot.from_toml(spot))
    assert reason in str(error.value)


@settings(max_examples=60)
@given(
    st.text(max_size=80) | st.sampled_from([text(), text('[tree]\nlines = ["X-B50"]\n')]), st.data()
)
def test_any_text_is_read_or_refused_in_a_sentence(start: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(start)))
    mixed = start[:cut] + data.draw(st.text(max_size=8)) + start[cut:]
    with contextlib.suppress(RiverboatError):
        spot = Spot.from_toml(mixed)
        assert Spot.from_toml(spot.to_toml()) == spot


def test_a_tree_script_of_another_program_is_read() -> None:
    script = """#Type#NoLimit
#Range0#AA,KK:0.5
#Range1#QQ,JJ
#Board#Qs Jh 2h
#Pot#180
#EffectiveStacks#910
#AllinThreshold#60
#FlopConfig.BetSize#52
#FlopConfig.RaiseSize#45
#FlopConfig.AddAllin#True
#TurnConfig.BetSize#55
#TurnConfig.DonkBetSize#20
#RiverConfig.BetSize#70 a
#FlopConfigIP.BetSize#52
#FlopConfigIP.RaiseSize#2.5x
#TurnConfigIP.BetSize#55
#RiverConfigIP.BetSize#70
"""
    found = lines_of(build_tree(Spot.from_toml(script)))
    assert {"B94", "B94-R235", "A910", "X-B94-C-B74", "X-X-B99-C-B265", "X-X-X-X-A910"} <= found
    assert "X-B94-C-B202" not in found
    with pytest.raises(RiverboatError, match="no #Board#"):
        Spot.from_toml(script.replace("#Board#Qs Jh 2h", ""))


RIVER: dict[str, Any] = {"board": "Qs Jh 2h 8d 3c", "pot": 100, "stack": 150}
TWO = """
board = "Qs Jh 2h 8d 3c"
pot = 100
stack = 150
dead = "2c 2d"
[ranges]
oop = "AA,A5s:0.5"
ip = "99,AQs"
[rake]
rate = 0.05
cap = 3
[sizes.river]
oop = { bet = "50%" }
[tree]
raises = 2
"""
THREE = """
board = "Qs Jh 2h 8d 3c"
pot = 100
stacks = { sb = 150, co = 30, btn = 70 }
[ranges]
sb = "AA"
co = "99"
btn = "KK"
[sizes.river]
btn = { bet = "50%" }
"""


def test_tables_of_a_file_are_dictionaries_in_python() -> None:
    sizes = {"river": {"oop": {"bet": "50%"}}}
    more: dict[str, Any] = {
        "dead": "2c 2d",
        "rake": {"rate": 0.05, "cap": 3},
        "tree": {"raises": 2},
    }
    ranges = {"oop": "AA,A5s:0.5", "ip": "99,AQs"}
    for each in (ranges, tuple(ranges.values())):
        assert make_spot(**RIVER, ranges=each, sizes=sizes, **more) == make_spot(TWO)
    prizes = {"places": [50, 30], "others": [100]}
    for_prizes = make_spot(**RIVER, ranges=("AA", "KK"), payouts=prizes)
    assert isinstance(for_prizes, Spot)
    assert for_prizes.payouts is not None
    three = make_spot(
        board=RIVER["board"],
        pot=100,
        stacks={"sb": 150, "co": 30, "btn": 70},
        ranges={"sb": "AA", "co": "99", "btn": "KK"},
        sizes={"river": {"btn": {"bet": "50%"}}},
    )
    assert three == make_spot(THREE)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"size": {}}, "no key of a spot called 'size'; did you mean 'sizes'"),
        ({"sizes": {"rivr": {}}}, "did you mean 'river'"),
        ({"sizes": {"river": {"oop": {"bte": "a"}}}}, "did you mean 'bet'"),
        ({"sizes": "50%"}, "sizes must be a table"),
        ({"rake": {"rat": 0.05}}, "did you mean 'rate'"),
        ({"rake": 0.05}, "rake must be a table"),
        ({"payouts": {"place": [1]}}, "did you mean 'places'"),
        ({"payouts": [50, 30]}, "payouts must be a table"),
        ({"tree": {"raise": 2}}, "did you mean 'raises'"),
        ({"tree": 2}, "tree must be a table"),
        ({"folded": "btn"}, "A spot of two players has no folded"),
        (
            {"ranges": ("AA", "KK", "99"), "payouts": {"places": [1]}},
            "three players has no payouts",
        ),
        ({"ranges": {"oop": "AA", "pi": "KK"}}, "no key of ranges called 'pi'"),
        ({"ranges": ("AA", 5)}, "A range is a text"),
        ({"ranges": "AA"}, "two ranges, or three"),
    ],
)
def test_fields_that_cannot_be_are_a_sentence(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(RiverboatError, match=reason):
        make_spot(**{**RIVER, "ranges": ("AA", "KK"), **fields})


def test_a_spot_is_written_once_to_be_compared(monkeypatch):
    made: list[Spot] = []
    original = Spot.to_toml

    def counted(self: Spot) -> str:
        made.append(self)
        return original(self)

    monkeypatch.setattr(Spot, "to_toml", counted)
    one, same, other = make_spot(text()), make_spot(text()), make_spot(text(pot="7"))
    assert {one: 1}[same] == 1
    assert one != other
    assert len({one, same, other, one}) == 2
    assert len(made) == 3
