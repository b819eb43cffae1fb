"""The tools' answers are those of the package, and what is wrong with a call is a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic")

import riverboat as rb
from riverboat.assistants._answers import Answer, Workshop
from riverboat.assistants.tools import TOOLS, is_quick, tool_named
from riverboat.errors import RiverboatError

DATA = Path(__file__).parent.parent / "data" / "poker"


def ask(name: str, shop: Workshop | None = None, **arguments: Any) -> Any:
    """A tool's answer, its arguments read as the server reads them."""
    tool = tool_named(name)
    return tool.function(shop or Workshop(), **tool.read(arguments))


def refusal(name: str, shop: Workshop | None = None, **arguments: Any) -> str:
    with pytest.raises(RiverboatError) as caught:
        ask(name, shop, **arguments)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    return sentence


def test_there_are_at_most_twelve_tools_and_each_says_what_it_does() -> None:
    assert len(TOOLS) <= 12
    for tool in TOOLS.values():
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert {"answer", "assumed", "exactness"} <= tool.output_schema["properties"].keys()
        assert tool.output_schema["required"]


def test_every_answer_can_be_quoted() -> None:
    answer = ask("hand_rank", cards="As Kd Qh Jc Ts")
    assert isinstance(answer, Answer)
    assert answer.text.startswith("Straight, ace high")
    assert "Exactness: Exact." in answer.text


def test_a_blackjack_hand_has_the_exact_values() -> None:
    exact = rb.blackjack("single-deck", h17=True).action_values("T,6", "10")
    answer = ask("blackjack_hand", hand="T,6", dealer="10", rules="single-deck")
    assert answer.actions == pytest.approx(exact)
    assert answer.best == next(iter(exact))


def test_rules_and_seen_cards_change_a_blackjack_hand() -> None:
    plain = ask("blackjack_hand", hand="T,6", dealer="T")
    late = ask("blackjack_hand", hand="T,6", dealer="T", changes={"surrender": "late"})
    fives_gone = ask("blackjack_hand", hand="T,6", dealer="T", seen=",".join("5" * 20))
    assert plain.best == "hit"
    assert late.best == "surrender"
    assert late.actions["surrender"] == -0.5
    assert fives_gone.best == "stand"


def test_a_count_is_the_sum_of_the_tags_and_its_ev_the_exact_one() -> None:
    shoe = [24] * 9 + [96]
    for card, seen in ((5, 6), (6, 6), (10, 1)):
        shoe[card - 1] -= seen
    answer = ask("blackjack_count", seen="5,5,5,5,5,5,6,6,6,6,6,6,T")
    assert answer.running_count == 12 - 1
    assert answer.true_count == pytest.approx(11 / ((312 - 13) / 52))
    assert answer.bet == 2  # The ramp is 1 2@1 4@2 6@3 8@4
    exact = rb.blackjack(shoe=shoe)
    assert answer.ev_percent == pytest.approx(100 * exact.ev)
    assert answer.insurance_percent == pytest.approx(100 * exact.insurance())


def test_insurance_has_no_figure_where_none_is_offered() -> None:
    no_aces = ask("blackjack_count", seen="A" * 24)
    refused = ask("blackjack_count", seen="5", changes={"insurance": False})
    for answer in (no_aces, refused):
        assert answer.insurance_percent is None
        assert "insurance is not offered" in answer.answer


def test_a_chart_is_the_best_one() -> None:
    answer = ask("blackjack_chart")
    assert answer.chart["hard"]["16"]["T"] == "H"
    assert answer.chart["pairs"]["8,8"]["T"] == "P"
    # wizardofodds.com's calculator: −0.4 % for six decks, S17, DAS
    assert answer.ev_percent == pytest.approx(-0.40, abs=0.03)


def test_equity_counts_every_deal() -> None:
    answer = ask("equity", players=["AsAh", "KdKc"], board="Qs Jh 2d")
    exact = rb.equity("AsAh", "KdKc", board="Qs Jh 2d")
    assert answer.equity == pytest.approx(exact.equity)
    assert answer.deals == 990  # 45 choose 2 runouts
    assert answer.plus_minus is None


def test_hands_are_quick_and_ranges_heavy() -> None:
    tool = TOOLS["equity"]
    assert is_quick(tool, {"players": ["AsAh", "Kd Kc"]})
    assert not is_quick(tool, {"players": ["AsAh", "100%"]})
    assert not is_quick(TOOLS["spot"], {})


def test_a_range_goes_to_combos_and_back() -> None:
    answer = ask("poker_range", text="QQ+,AKs")
    assert answer.num_combos == 3 * 6 + 4
    assert len(answer.combos) == 22
    assert ask("poker_range", text=",".join(answer.combos)).range == answer.range == "QQ+,AKs"


def test_the_book_opens_aces_on_the_button() -> None:
    answer = ask("preflop", line="btn", hand="AA")
    assert answer.mix["raise to 2.5"] > 0.99
    assert answer.hand == ask("preflop", line="btn", hand="AsAh").hand == "AA"


def test_push_or_fold_pushes_aces_and_its_gap_is_stated() -> None:
    answer = ask("push_fold", stacks=[10, 10], hand="AA")
    assert answer.mix["all-in"] == pytest.approx(1)
    assert answer.exploitability < 1e-6
    assert sum(answer.seat_evs) == pytest.approx(0, abs=1e-6)


def test_push_or_fold_says_all_that_was_assumed() -> None:
    answer = ask(
        "push_fold", stacks=[10, 20], blinds=[0.4, 1], ante=0.1, payouts=[70, 30], others=[15]
    )
    assert answer.assumed == [
        "all-in or fold, stacks 10, 20", "blinds 0.4, 1, an ante of 0.1 each",
        "prizes 70, 30 by ICM", "stacks at other tables 15",
    ]  # fmt: skip


def test_a_river_has_the_closed_form_of_polar_ranges() -> None:
    """AA or 77 bet the pot into KK: bluffs are half as many as value bets, KK calls half."""
    question: dict[str, Any] = {
        "board": "Qs Jh 2h 4c 3d", "pot": 100, "stack": 100, "oop": "KK", "ip": "AA,77",
        "bets": "100%", "raises": "", "target_percent": 0.05,
    }  # fmt: skip
    bets = ask("spot", **question, node="r:0:c")
    assert bets.to_act == "ip"
    assert 1 - bets.mix["check"] == pytest.approx(0.75, abs=0.02)  # 6 of AA, 3 of 77, of 12 hands
    calls = ask("spot", **question, node="r:0:c:b100")
    assert calls.mix["call"] == pytest.approx(0.5, abs=0.02)
    one = ask("spot", **question, node="r:0:c", hand="AsAh")
    assert one.ev == pytest.approx(150, abs=2)  # the pot, and half the time the bet
    assert "of the pot" in one.exactness


def test_a_river_of_omaha_has_the_closed_form_too() -> None:
    """Aces full and a missed hand against a hand between them: the bettor bluffs half as often.

    No card of one hand is in another, so each is met as often as any other.
    """
    question: dict[str, Any] = {
        "game": "omaha", "board": "2s 2h 2d 3c 3d", "pot": 100, "stack": 100,
        "oop": "AsAh7c6c,QsQh9c8c", "ip": "KsKh5c4c", "bets": "100%", "raises": "",
    }  # fmt: skip
    found = ask("spot", **question, target_percent=0.05)
    assert found.mix["all-in 100"] == pytest.approx(0.75, abs=0.01)
    assert found.ev == pytest.approx(75, abs=0.2)
    one = ask("spot", **question, hand="AsAh7c6c", target_percent=0.05)
    assert one.ev == pytest.approx(150, abs=0.5)
    assert "Omaha, pot-limit" in one.assumed
    for changes, words in (
        ({"hand": "AsAh"}, "a hand here has 4"),
        ({"oop": "AsAh7c6c5c"}, "has 5 cards"),
        ({"bets": "150%"}, "above the pot"),
        ({"ip": "random.txt"}, "neither"),
    ):
        assert words in refusal("spot", **{**question, **changes})


def test_a_hand_of_omaha_takes_two_of_its_cards() -> None:
    found = ask("hand_rank", cards="As7h8h9h", board="KsQsJs2s3d")
    assert found.category == "high card"  # Four spades on the board and one held: no flush
    assert ask("hand_rank", cards="AsAhAdAc", board="KsQh7s2d3c").category == "pair"
    assert "twice" in refusal("hand_rank", cards="AsKsQhJh", board="As2d3d")
    assert "cards" in refusal("hand_rank", cards="As", board="Ks2d3d")


def test_a_review_says_why_hands_are_left_out() -> None:
    text = (DATA / "omaha_and_short_deck.phhs").read_text()
    assert "only hold'em is reviewed" in refusal("review", hands=text)


def test_a_solved_game_has_its_known_value() -> None:
    answer = ask("solve_game", game="kuhn")
    assert answer.value[0] == pytest.approx(-1 / 18, abs=1e-5)
    assert answer.strategy["0 Q|"]["p"] == pytest.approx(1)
    assert answer.num_infosets == 12


def test_a_strategy_loses_what_its_best_response_gains() -> None:
    uniform = ask("strategy_loss", game="kuhn")
    # OpenSpiel's documentation: NashConv of the uniform strategy in Kuhn poker is 11/12.
    assert 2 * uniform.exploitability == pytest.approx(11 / 12)
    solved = ask("solve_game", game="kuhn").strategy
    assert ask("strategy_loss", game="kuhn", strategy=solved).exploitability < 1e-5


def test_a_game_is_saved_to_the_library_and_measured_from_it(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    ask("solve_game", shop, game="kuhn", save_as="kuhn.rb")
    assert shop.files() == ["kuhn.rb"]
    assert ask("strategy_loss", shop, file="kuhn.rb").exploitability < 1e-6
    assert rb.load(tmp_path / "kuhn.rb").game == "kuhn"


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "kuhn.rb").write_bytes(b"mine")
    assert "another name" in refusal(
        "solve_game", Workshop(tmp_path), game="kuhn", save_as="kuhn.rb"
    )
    assert (tmp_path / "kuhn.rb").read_bytes() == b"mine"


def test_the_opponent_of_an_algorithm_is_a_file_of_the_library(tmp_path: Path) -> None:
    shop = Workshop(tmp_path / "library")
    (tmp_path / "library").mkdir()
    ask("solve_game", shop, game="kuhn", save_as="kuhn.rb")
    rb.save(rb.load(tmp_path / "library" / "kuhn.rb"), tmp_path / "outside.rb")
    for path in ("../outside.rb", "/etc/passwd", "library/kuhn.rb"):
        for text in (f"lp:against={path}", f" LP:Against={path}"):
            assert "file of the library" in refusal("solve_game", shop, game="kuhn", algorithm=text)
    assert "other.rb" in refusal("solve_game", shop, game="kuhn", algorithm="lp:against=other.rb")
    answer = ask("solve_game", shop, game="kuhn", algorithm="lp:against=kuhn.rb")
    assert answer.value[0] == pytest.approx(-1 / 18, abs=1e-6)


def test_a_file_of_a_game_that_is_not_the_houses_is_refused(tmp_path: Path) -> None:
    """Such a game may read other files when it is made."""
    strategy = replace(rb.solve("kuhn").strategy, game="openspiel:kuhn_poker")
    strategy.save(tmp_path / "kuhn.rb")
    assert "no game" in refusal("strategy_loss", Workshop(tmp_path), file="kuhn.rb")


@pytest.mark.parametrize(
    "name", ["../kuhn.rb", "/etc/passwd", "a/b.rb", ".rb", "..", "kuhn.txt", "x\0.rb", "-x.rb"]
)
def test_files_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    shop = Workshop(tmp_path / "library")
    (tmp_path / "library").mkdir()
    (tmp_path / "kuhn.rb").write_bytes(b"x")
    assert "file of the library" in refusal("strategy_loss", shop, file=name)
    assert "file of the library" in refusal("solve_game", shop, game="kuhn", save_as=name)


def test_a_link_out_of_the_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "outside.rb").write_bytes(b"x")
    (tmp_path / "library" / "in.rb").symlink_to(tmp_path / "outside.rb")
    shop = Workshop(tmp_path / "library")
    assert "link" in refusal("strategy_loss", shop, file="in.rb")
    assert shop.files() == []


def test_without_a_library_there_are_no_files() -> None:
    assert "--library" in refusal("strategy_loss", file="kuhn.rb")


def test_a_review_of_a_pasted_hand_finds_what_a_review_of_its_file_finds(tmp_path: Path) -> None:
    from riverboat.holdem.histories.files import hands_in, read_hands

    path = Path("src/riverboat/examples/hands.phhs").resolve()
    text = path.read_text()
    pasted = [getattr(hand, "section", "") for hand in hands_in(text)]
    assert pasted == [getattr(hand, "section", "") for hand in read_hands(path)]
    assert len(pasted) > 1


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("equity", {"players": ["AsAh", "AsKd"]}, "Two players hold"),
        ("equity", {"players": ["AsAh"]}, "at least 2"),
        ("equity", {"players": ["AsAh"] * 9}, "at most 6"),
        ("equity", {"players": "AsAh"}, "valid list"),
        ("equity", {"players": ["QQ+," * 300_000, "AA"]}, "at most 20000 characters"),
        ("hand_rank", {"cards": "As As Kd Qd Jd"}, "twice"),
        ("hand_rank", {"card": "As"}, "did you mean 'cards'"),
        ("blackjack_hand", {"hand": "T,6", "dealer": "10", "rules": "x"}, "rule set"),
        ("blackjack_hand", {"hand": "T,6", "dealer": "10", "changes": {"deck": 2}}, "decks"),
        ("blackjack_hand", {"hand": "T,6", "dealer": "10", "changes": {"decks": 5e9}}, "1000."),
        ("blackjack_hand", {"hand": "T,6", "dealer": "T", "changes": {"decks": "x" * 50}}, "40"),
        ("blackjack_count", {"seen": "5", "ramp": "nan"}, "finite"),
        ("solve_game", {"game": "holdem"}, "too large"),
        ("solve_game", {"game": "openspiel:leduc_poker"}, "no game"),
        ("solve_game", {"game": "liars_dice", "parameters": {"faces": 10**6}}, "faces"),
        ("strategy_loss", {"game": "kuhn", "strategy": {"J|": {"fly": 1}}}, "fly"),
        ("strategy_loss", {"game": "kuhn", "strategy": {"J|": {"p": 0.5}}}, "add up to 0.5"),
        ("strategy_loss", {"game": "kuhn", "file": "kuhn.rb"}, "one of the two"),
        ("review", {"hands": "hello"}, "PokerStars"),
        ("push_fold", {"stacks": [10, 10], "hand": "XX"}, "hand"),
        (
            "spot",
            {
                "board": "Qs Jh 2h", "pot": 1, "stack": 1e6, "oop": "100%", "ip": "100%",
                "bets": "10%,20%,30%,40%,50%,60%,70%,80%,90%", "raises": "2x,3x,4x",
            },
            "GiB",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(name: str, arguments: dict[str, Any], words: str) -> None:
    assert words in refusal(name, **arguments)


def test_a_range_that_names_a_file_is_no_range(tmp_path: Path) -> None:
    (tmp_path / "range.txt").write_text("AA")
    path = str(tmp_path / "range.txt")
    question: dict[str, Any] = {
        "board": "Qs Jh 2h 7c 3d",
        "pot": 1,
        "stack": 1,
        "oop": path,
        "ip": "KK",
    }
    assert "range" in refusal("spot", **question) or "hand" in refusal("spot", **question)
