"""The picture of the table: what stands where, character by character."""

import pytest

from riverboat.tui.twentyone_scene import Scene, picture

TABLE = {"event": "table", "names": ["you", "basic"], "games": 9}
DEAL = {"event": "deal", "round": 1, "up": "Th", "hands": [["As", "6c"], ["9d", "9h"]]}
HIT = {"event": "act", "seat": 0, "action": "HIT", "card": "4d"}
STAND = {"event": "act", "seat": 0, "action": "STAND"}
OTHER = {"event": "act", "seat": 1, "action": "STAND"}
SETTLED = {"event": "round", "round": 1, "dealer": ["8c", "Th"], "results": ["WIN", "PUSH"]}


def scene_after(*events: dict[str, object]) -> Scene:
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
        {"event": "table", "names": ["a very long name indeed"] * seats, "games": 1_000_000},
        {"event": "deal", "round": 999_999, "up": "As", "hands": [hand] * seats},
    )
    lines = picture(scene, 80).plain.split("\n")
    assert len(lines) == 15
    assert max(len(line) for line in lines) <= 80
    assert sum("A" in line for line in lines) >= 1


def test_a_crowded_hand_keeps_its_last_cards() -> None:
    scene = scene_after(
        {"event": "table", "names": list("abcdef"), "games": 1},
        {"event": "deal", "round": 1, "up": "As", "hands": [["2c", "3c", "4c", "Td", "2h"]] * 6},
    )
    assert "│2│3│4│T│2│" in shown(scene, 80)


def test_a_bust_and_a_fold_pass_the_turn() -> None:
    scene = scene_after(TABLE, DEAL, {**HIT, "card": "5d"})
    assert scene.turn == 0  # 12 with the ace as 1
    scene.apply({**HIT, "card": "Kd"})
    assert (scene.turn, scene.seats[0].state) == (1, "bust")
    scene.apply({"event": "fold", "seat": 1, "reason": "left"})
    assert (scene.turn, scene.seats[1].state) == (-1, "out")
    scene.apply({**SETTLED, "results": ["BUST", "FORFEIT"]})
    assert [seat.score for seat in scene.seats] == [-1, -1]
    scene.apply({**DEAL, "round": 2, "hands": [["As", "6c"], None]})
    assert [seat.state for seat in scene.seats] == ["", "out"]


def test_an_empty_table() -> None:
    assert "Nobody sits here yet." in shown(Scene())
