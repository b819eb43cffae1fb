"""A sitting: seats, score, and what the person's moves cost, for any screen."""

from riverboat.arena.hand import HandEnded
from riverboat.arena.sitting import MoveJudged, Sitting, SittingEvent
from riverboat.games.registry import make_game
from riverboat.players.coach import coach_for
from riverboat.players.player import HumanPlayer
from riverboat.players.simple import UniformPlayer


def test_seats_rotate_and_the_score_is_the_sum_of_the_hands() -> None:
    events: list[SittingEvent] = []
    sitting = Sitting(make_game("kuhn"), UniformPlayer(), seed=3, listener=events.append)
    person, places = HumanPlayer(lambda view: "b"), []
    total = 0.0
    for _ in range(6):
        place = sitting.place
        places.append(place)
        hand = sitting.next_hand(person)
        assert hand.advance() is None
        ended = events[-1]
        assert isinstance(ended, HandEnded)
        total += ended.record.returns[place]
    assert places == [0, 1, 0, 1, 0, 1]
    assert sitting.score == total
    assert sitting.played == 6
    assert sitting.cost is None


def test_folding_the_king_costs_what_the_pot_holds() -> None:
    """Facing a bet with the king in Kuhn poker a call wins 2 and a fold loses 1: it costs 3."""
    game = make_game("kuhn")
    judged: list[MoveJudged] = []

    def hear(event: SittingEvent) -> None:
        if isinstance(event, MoveJudged):
            judged.append(event)

    coach = coach_for(game)
    bettor = HumanPlayer(lambda view: "b")
    sitting = Sitting(game, bettor, coach=coach, seat=2, seed=0, listener=hear)
    for _ in range(12):
        sitting.next_hand(HumanPlayer(lambda view: "p")).advance()
    kings = [move for move in judged if move.advice.view.infoset == "K|b"]
    assert kings
    for move in kings:
        assert round(move.cost, 9) == 3.0
        assert round(move.advice.values["b"], 9) == 2.0
        assert move.advice.pot_odds == 0.25
    assert sitting.cost is not None
    assert round(sitting.cost - sum(move.cost for move in judged), 9) == 0
