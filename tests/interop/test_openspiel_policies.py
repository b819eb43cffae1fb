"""Our strategies as OpenSpiel's policies, its bots as our players."""

from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import expected_game_score, exploitability

import riverboat as rb
from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import make_game
from riverboat.interop.openspiel_players import BotPlayer, strategy_policy
from riverboat.players.roster import make_player


@pytest.mark.parametrize("name", ["openspiel:kuhn_poker", "kuhn"])
def test_openspiel_finds_our_solution_unexploitable(name: str) -> None:
    policy = strategy_policy(rb.solve(name).strategy)
    assert exploitability.nash_conv(policy.game, policy) == pytest.approx(0, abs=1e-9)
    start = policy.game.new_initial_state()
    value = expected_game_score.policy_value(start, [policy, policy])
    assert value[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_a_strategy_solved_badly_is_as_bad_there_as_here() -> None:
    result = rb.solve("openspiel:leduc_poker", algorithm="cfr", iterations=3)
    policy = strategy_policy(result.strategy)
    tabular = pyspiel.TabularPolicy(
        {
            state.information_state_string(): sorted(policy.action_probabilities(state).items())
            for state in _decisions(policy.game)
        }
    )
    there = pyspiel.nash_conv(policy.game, tabular)
    assert there == pytest.approx(result.evaluation.nash_conv, abs=1e-9)


def _decisions(game: Any) -> list[Any]:
    stack, found = [game.new_initial_state()], []
    while stack:
        state = stack.pop()
        if state.current_player() >= 0:
            found.append(state)
        stack += [state.child(action) for action in state.legal_actions()]
    return found


def test_a_strategy_of_ours_is_refused_for_another_game() -> None:
    policy = strategy_policy(rb.solve("kuhn").strategy)
    state = pyspiel.load_game("matrix_rps").new_initial_state()
    with pytest.raises(UsageError, match="is for kuhn"):
        policy.action_probabilities(state, 0)


def test_mcts_never_loses_to_chance_at_tic_tac_toe() -> None:
    log = rb.match(
        "openspiel:tic_tac_toe",
        "openspiel:mcts?simulations=100",
        "openspiel:uniform_random",
        hands=12,
        seed=1,
    )
    assert log.as_dict()["mean"][0] > 0.5


def test_ismcts_plays_where_cards_are_hidden() -> None:
    players = ("openspiel:ismcts?simulations=20", "openspiel:uniform")
    assert rb.match("openspiel:kuhn_poker", *players, hands=10).hands == 10


def test_the_same_seed_gives_the_same_match() -> None:
    def play() -> Any:
        players = ("openspiel:mcts?simulations=5", "openspiel:uniform")
        return rb.match("openspiel:nim(pile_sizes=3;4)", *players, hands=20, seed=5).as_dict()

    assert play() == play()


class Witness(pyspiel.Bot):  # type: ignore[misc]
    """Keeps a state of its own from what it is told, as stateful bots do."""

    def __init__(self, game: Any, player: int) -> None:
        super().__init__()
        self.game, self.player, self.plays = game, player, 0
        self.state = game.new_initial_state()

    def restart(self) -> None:
        self.state = self.game.new_initial_state()
        self.plays += 1

    def inform_action(self, state: Any, player: int, action: int) -> None:
        assert player != self.player
        assert state.history() == self.state.history()
        self.state.apply_action(action)

    def step(self, state: Any) -> int:
        assert state.history() == self.state.history()
        action = state.legal_actions()[0]
        self.state.apply_action(action)
        return int(action)


def test_any_bot_can_sit_down_and_learns_what_the_others_did() -> None:
    game = make_game("openspiel:leduc_poker")
    bots: list[Witness] = []

    def make(inner: Any, player: int, seed: int) -> Witness:
        bots.append(Witness(inner, player))
        return bots[-1]

    rb.match(game, BotPlayer("witness", game, make), "random", hands=40)
    assert len(bots) == 2  # one for each seat
    assert all(bot.plays >= 15 for bot in bots)


def test_openspiels_own_check_of_informing_is_content() -> None:
    game = make_game("openspiel:kuhn_poker")
    player = BotPlayer(
        "stateful", game, lambda inner, p, seed: pyspiel.make_stateful_random_bot(inner, p, seed)
    )
    assert rb.match(game, player, "random", hands=30).hands == 30


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("openspiel:leduc_poker", "openspiel:mcts", "would see what is hidden"),
        ("kuhn", "openspiel:ismcts", "Python game"),
        ("kuhn", "openspiel:nobody", "no OpenSpiel bot called 'nobody'"),
        ("kuhn", "openspiel:mcts?depth=3", "has no option"),
        ("openspiel:tic_tac_toe", "openspiel:mcts?simulations=many", "simulations is a number"),
    ],
)
def test_bots_that_cannot_play_are_refused(game: str, text: str, words: str) -> None:
    with pytest.raises(RiverboatError, match=words):
        make_player(make_game(game), text)
