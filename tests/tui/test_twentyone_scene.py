"""The picture of the table: what stands where, character by character."""

import pytest

from riverboat.tui.twentyone_scene import Scene, picture
from riverboat.twentyone.events import Acted, Dealt, Event, Folded, Opened, Settled

TABLE = Opened(["you", "basic"], 9)
DEAL = Dealt(1, "Th", [["As", "6c"], ["9d", "9h"]])
HIT = Acted(1, 0, "HIT", "4d")
STAND = Acted(1, 0, "STAND")
OTHER = Acted(1, 1, "STAND")
SETTLED = Settled(1, ["8c", "Th"], ["WIN", "PUSH"])


def scene_after(*events: Event) -> Scene:
    scene = Scene(me=0)
    for event in events:
        scene.apply(event)
    return scene


def shown(scene: Scene, width: int = 60) -> str:
    return "\n".join(line.rstrip() for line in picture(scene, width).plain.split("\n"))


def test_a_deal_is_drawn_with_the_dealers_first_card_face_down() -> None:
    assert (
        shown(scene_after(TABLE, DEAL))
        == """\
 Twenty-one   round 1 of 9     0 won, 0 pushed, 0 lost   +0

                      Dealer  shows 10
                        ┌───┐ ┌───┐
                        │░░░│ │10 │
                        │░░░│ │  ♥│
                        └───┘ └───┘

    ▶you                       basic
     17 soft                   18
     ┌───┐ ┌───┐               ┌───┐ ┌───┐
     │A  │ │6  │               │9  │ │9  │
     │  ♠│ │  ♣│               │  ♦│ │  ♥│
     └───┘ └───┘               └───┘ └───┘
     +0                        +0"""
    )


def test_a_settled_round_shows_every_card_result_and_score() -> None:
    assert (
        shown(scene_after(TABLE, DEAL, HIT, STAND, OTHER, SETTLED))
        == """\
 Twenty-one   round 1 of 9     1 won, 0 pushed, 0 lost   +1

                         Dealer  18
                        ┌───┐ ┌───┐
                        │8  │ │10 │
                        │  ♣│ │  ♥│
                        └───┘ └───┘

     you                       basic
     21 won                    18 push
     ┌───┐ ┌───┐ ┌───┐         ┌───┐ ┌───┐
     │A  │ │6  │ │4  │         │9  │ │9  │
     │  ♠│ │  ♣│ │  ♦│         │  ♦│ │  ♥│
     └───┘ └───┘ └───┘         └───┘ └───┘
     +1                        +0"""
    )


@pytest.mark.parametrize("cards", range(2, 12))
@pytest.mark.parametrize("seats", range(1, 7))
def test_nothing_runs_over_eighty_columns(seats: int, cards: int) -> None:
    hand = [f"{rank}{suit}" for suit in "cdhs" for rank in "A23"][:cards]
    scene = scene_after(
        Opened(["a very long name indeed"] * seats, 1_000_000), Dealt(999_999, "As", [hand] * seats)
    )
    lines = picture(scene, 80).plain.split("\n")
    assert len(lines) == 15
    assert max(len(line) for line in lines) <= 80
    assert sum("A" in line for line in lines) >= 1


@pytest.mark.parametrize("seats", range(1, 7))
@pytest.mark.parametrize("width", [34, 44, 50, 66])
def test_a_narrow_table_has_several_rows(seats: int, width: int) -> None:
    scene = scene_after(Opened(list("abcdef"[:seats]), 10), Dealt(1, "As", [["2c", "Td"]] * seats))
    scene.me = 0
    lines = picture(scene, width).plain.split("\n")
    assert max(len(line) for line in lines) <= width
    assert "\n".join(lines).count("│10") == seats
    assert lines[0].startswith(" Twenty-one   round 1 of 10   ")


def test_a_crowded_hand_keeps_its_last_cards() -> None:
    scene = scene_after(
        Opened(list("abcdef"), 1), Dealt(1, "As", [["2c", "3c", "4c", "Td", "2h"]] * 6)
    )
    assert "│2│3│4│T│2│" in shown(scene, 80)


def test_a_bust_and_a_fold_pass_the_turn() -> None:
    scene = scene_after(TABLE, DEAL, HIT._replace(card="5d"))
    assert scene.turn == 0  # 12 with the ace as 1
    scene.apply(HIT._replace(card="Kd"))
    assert (scene.turn, scene.seats[0].state) == (1, "bust")
    scene.apply(Folded(1, 1, "left"))
    assert (scene.turn, scene.seats[1].state) == (-1, "out")
    scene.apply(SETTLED._replace(results=["BUST", "FORFEIT"]))
    assert [seat.score for seat in scene.seats] == [-1, -1]
    scene.apply(DEAL._replace(round=2, hands=[["As", "6c"], None]))
    assert [seat.state for seat in scene.seats] == ["", "out"]


def test_an_empty_table() -> None:
    assert "Nobody sits here yet." in shown(Scene())
