"""OpenSpiel's games here: the tree, the solution, and the command line."""

import dataclasses
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import riverboat as rb
from commands import Command
from riverboat.errors import (
    IllegalActionError,
    ParameterError,
    RiverboatError,
    TooLargeError,
    UnknownNameError,
    UsageError,
)
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.trees.game_tree import HistoryWalk, build_tree, estimate_histories

GOOFSPIEL = "openspiel:goofspiel(imp_info=True,num_cards=4,points_order=descending)"

# Chance, decision and terminal histories and infosets, from OpenSpiel's own integration test.
SIZES = {
    "kuhn_poker": (4, 24, 30, 12),
    "kuhn_poker(players=3)": (17, 288, 312, 48),
    "leduc_poker": (157, 3780, 5520, 936),
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)": (0, 501, 576, 162),
    "first_sealed_auction(max_value=2)": (12, 10, 14, 4),
    "tiny_hanabi": (3, 16, 36, 8),
}


@pytest.mark.parametrize("text", SIZES)
def test_trees_have_the_sizes_that_openspiel_states(text: str) -> None:
    size = build_tree(make_game(f"openspiel:{text}")).size
    assert (size.chances, size.decisions, size.terminals, size.infosets) == SIZES[text]


@pytest.mark.parametrize("text", ["leduc_poker", "goofspiel(num_cards=3)", "tiny_hanabi"])
def test_the_walk_on_openspiels_states_equals_the_walk_on_ours(text: str) -> None:
    game = make_game(f"openspiel:{text}")
    quick = build_tree(game)
    plain = HistoryWalk(game, keep=True, limit=None)
    plain.run()
    slow = plain.tree()
    for field in dataclasses.fields(quick):
        ours, theirs = getattr(quick, field.name), getattr(slow, field.name)
        if isinstance(ours, np.ndarray):
            assert np.array_equal(ours, theirs), field.name
        else:
            assert ours == theirs, field.name


# Kuhn 1950; Southey et al. 2005 for Leduc; the others are symmetric or solved by matrices.
VALUES = {
    "kuhn_poker": -1 / 18,
    "leduc_poker": -0.0856064,
    "matrix_rps": 0.0,
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)": 0.0,
    "nim(pile_sizes=1;2)": 1.0,
}


@pytest.mark.parametrize("text", VALUES)
def test_known_values_are_found(text: str) -> None:
    result = rb.solve(f"openspiel:{text}")
    assert result.value[0] == pytest.approx(VALUES[text], abs=1e-6)
    assert result.exploitability < 1e-6


def test_a_game_has_one_name_whatever_the_order_of_its_parameters() -> None:
    one = make_game("openspiel:goofspiel(points_order=descending,num_cards=4,imp_info=True)")
    assert one.name == GOOFSPIEL
    assert (
        make_game("openspiel:goofspiel(num_cards=4,imp_info=True)", {"points_order": "descending"})
        == one
    )
    assert make_game("openspiel:kuhn_poker(players=2)").name == "openspiel:kuhn_poker"
    nested = "openspiel:turn_based_simultaneous_game(game=matrix_rps())"
    assert make_game(make_game(nested).name).num_players == 2


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "restricted_nash_response(p=0.3,game=kuhn_poker())",
            "restricted_nash_response(game=kuhn_poker(),p=0.3)",
        ),
        (
            "restricted_nash_response(game=kuhn_poker(),p=0.5)",
            "restricted_nash_response(game=kuhn_poker())",
        ),
        ("misere(game=kuhn_poker())", "misere(game=kuhn_poker())"),
        (
            "add_noise(epsilon=0.1,seed=1,game=kuhn_poker())",
            "add_noise(epsilon=0.1,game=kuhn_poker(),seed=1)",
        ),
        (
            "repeated_game(stage_game=matrix_pd(),num_repetitions=2)",
            "repeated_game(num_repetitions=2,stage_game=matrix_pd())",
        ),
        ("misere(game=riverboat_kuhn())", "misere(game=riverboat_kuhn())"),
    ],
)
def test_games_within_games_are_found_again_by_their_files(
    text: str, name: str, tmp_path: Path
) -> None:
    game = make_game(f"openspiel:{text}")
    assert game.name == f"openspiel:{name}"
    assert make_game(game.name) == game
    if not text.startswith("repeated"):
        path = tmp_path / "solved.rb"
        rb.solve(game, iterations=3).save(path)
        assert rb.evaluate(rb.load(path)).nash_conv < 1


def test_states_speak_openspiels_words() -> None:
    state = make_game("openspiel:kuhn_poker").start()
    assert state.actor == CHANCE
    assert [p for _, p in state.chance()] == pytest.approx([1 / 3] * 3)
    for _ in range(2):
        state = state.after(state.chance()[0][0])
    assert (state.actor, state.actions()) == (0, ("Pass", "Bet"))
    with pytest.raises(IllegalActionError, match="'Fold' is not possible"):
        state.after("Fold")
    with pytest.raises(IllegalActionError, match="not over"):
        state.returns()
    end = state.after("Bet").after("Pass")
    assert (end.actor, end.returns()) == (TERMINAL, (1.0, -1.0))


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("openspiel:leduc_pokr", UnknownNameError, "did you mean 'leduc_poker'"),
        ("openspiel:💥", UnknownNameError, "OpenSpiel has no game"),
        ("openspiel:", UsageError, "is written openspiel:NAME"),
        ("openspiel:" + "(" * 20_000, UsageError, "is written openspiel:NAME"),
        ("openspiel:kuhn_poker(players=99)", ParameterError, "OpenSpiel refuses"),
        ("openspiel:kuhn_poker(cards=3)", ParameterError, "Unknown parameter 'cards'"),
        ("openspiel:kuhn_poker(", ParameterError, "closing bracket"),
        ("openspiel:nfg_game", ParameterError, "OpenSpiel refuses"),
        ("openspiel:efg_game(filename=/nowhere)", ParameterError, "OpenSpiel refuses"),
        ("openspiel:hanabi", UsageError, "what its players remember"),
        ("openspiel:negotiation", UsageError, "draws its chance itself"),
        ("openspiel:mfg_garnet", UsageError, "mean-field"),
    ],
)
def test_what_cannot_be_a_game_here_is_refused_in_one_sentence(
    text: str, error: type[RiverboatError], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(error) as caught:
        make_game(text)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert len(message) < 500
    assert capfd.readouterr().err == ""  # OpenSpiel's own chatter is not shown


@pytest.mark.parametrize("text", ["dark_hex_ir(board_size=2)", "liars_dice_ir(dice_sides=4)"])
def test_games_without_perfect_recall_are_refused(text: str) -> None:
    with pytest.raises(RiverboatError, match="lacks perfect recall"):
        rb.solve(f"openspiel:{text}")


@pytest.mark.parametrize("text", ["connect_four", "go(board_size=5)"])
def test_games_too_large_are_refused_before_they_fill_the_memory(text: str) -> None:
    with pytest.raises(TooLargeError, match=r"histories.*memory limit"):
        build_tree(make_game(f"openspiel:{text}"), memory_limit=1 << 20)


def test_solve_evaluate_show_match_on_the_command_line(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "goofspiel.rb"
    solved = command("solve", GOOFSPIEL, "--out", file, "--json")
    assert solved.code == 0
    assert solved.json["nodes"] == 1077
    assert command("evaluate", file, "--json").json["exploitability"] < 1e-9
    shown = command("show", file, "--limit", 1)
    assert "Bid: 4" in shown.out
    met = command("match", GOOFSPIEL, file, "openspiel:uniform", "--hands", 50, "--json")
    assert met.code == 0
    given = command("solve", "openspiel:goofspiel", "-p", "num_cards=3", "--json").json
    assert given["game"] == "openspiel:goofspiel(num_cards=3)"
    refused = command("solve", "openspiel:nonsense")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_play_asks_with_openspiels_words(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("b\nb\nb\n"))
    played = command("play", "openspiel:kuhn_poker", "--hint", "--seed", 1, "--hands", 1)
    assert played.code == 0
    assert "[b] Bet" in played.out
    assert "1 hand, score" in played.out


def test_values_agree_with_openspiels_own_evaluation() -> None:
    """The same average strategy of OpenSpiel's CFR+, measured by both sides."""
    game = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    there = pyspiel.nash_conv(game, average)
    ours = make_game("openspiel:leduc_poker")
    tree = build_tree(ours)
    texts, probabilities = dict.fromkeys(tree.infosets), []
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_terminal() and not state.is_chance_node():
            key = state.information_state_string()
            texts[key.strip("\n").replace("\n", "; ")] = average.action_probabilities(state)
        stack += [state.child(action) for action in state.legal_actions()]
    for key in tree.infosets:
        probabilities += [p for _, p in sorted(texts[key].items())]
    from riverboat.strategies.strategy import strategy_on

    here = rb.evaluate(strategy_on(tree, np.array(probabilities)))
    assert here.nash_conv == pytest.approx(there, abs=1e-9)


def test_bridge_is_refused_before_a_hand_is_played_out() -> None:
    """The last card dealt makes OpenSpiel solve the hand, which takes seconds no stop can end."""
    game = make_game("openspiel:bridge")
    assert estimate_histories(game) > 10**20
    with pytest.raises(TooLargeError, match="more histories than anybody could walk"):
        build_tree(game)
    stop = Stop()
    stop.request()
    with use_stop(stop), pytest.raises(KeyboardInterrupt):
        build_tree(make_game("openspiel:kuhn_poker"))
