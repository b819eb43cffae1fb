"""The same hand gives the same decision, whoever deals it: a table, ACPC's dealer, a PHH file."""

from __future__ import annotations

import numpy as np
import pytest

from riverboat.arena.hand import view_of
from riverboat.cards.card import parse_cards
from riverboat.games.base import TERMINAL, Action
from riverboat.holdem.acpc import _messages as acpc
from riverboat.holdem.acpc.client import play_session
from riverboat.holdem.blueprints.shipped import spec_of
from riverboat.holdem.histories.phh import read_phh, write_phh
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.player import SearchPlayer
from riverboat.players.roster import make_player

pytestmark = pytest.mark.e2e

PLAYER = "search?iterations=4&seconds=600&sizes=75%;a"
HANDS = ("AhQd", "KsTc")
BOARD = "Qs7h2d9c3s"
HISTORIES = ("r6", "r6c/c", "r6r20c/cr20c/", "r6r20c/cr20c/r37", "r6r20c/cr20c/cr30c/r11")


class Script:
    """A dealer that sends some lines and goes."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.sent = lines, list[str]()

    def send(self, line: str) -> None:
        self.sent.append(line)

    def receive(self, timeout: float | None) -> str | None:
        if not self.lines:
            raise ConnectionError
        return self.lines.pop(0)

    def close(self) -> None:
        pass


def state_at(history: str) -> HoldemState:
    game = player().game
    streets = history.count("/")
    cards = parse_cards(BOARD)[: (0, 3, 4, 5)[streets]]
    return game.resume([parse_cards(hand) for hand in HANDS], cards, history)


def player() -> SearchPlayer:
    from riverboat.holdem.blueprints.shipped import game_of_players

    made = make_player(game_of_players([PLAYER], {}), PLAYER)
    assert isinstance(made, SearchPlayer)
    return made


def test_a_hand_is_played_alike_at_every_table() -> None:
    assert spec_of(PLAYER).name == "search"
    found: dict[str, list[Action]] = {"table": [], "acpc": [], "phh": []}
    players = {name: player() for name in found}
    for history in HISTORIES:
        state = state_at(history)
        assert state.actor != TERMINAL
        rngs = {name: np.random.default_rng(11) for name in found}
        game = players["table"].game
        found["table"].append(players["table"].choose(view_of(game, state), rngs["table"]))

        line = acpc.format_match_state(state, state.actor, 0)
        dealer = Script([line])
        play_session(dealer, players["acpc"].game, players["acpc"], rngs["acpc"])
        said = dealer.sent[0].removeprefix(line + ":")
        found["acpc"].append(acpc.legal_action(state, said)[0])

        read = read_phh(write_phh(state)).state
        found["phh"].append(players["phh"].choose(view_of(players["phh"].game, read), rngs["phh"]))
    assert found["acpc"] == found["table"]
    assert found["phh"] == found["table"]
