"""`riverboat train holdem`, `holdem strength|show` and `play holdem` as a user runs them."""

import io
from pathlib import Path

import numpy as np
import pytest

from commands import Command
from holdem_configs import LEDUC
from riverboat.errors import TooLargeError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import (
    AbstractGame,
    GamePlan,
    HoldemConfig,
    read_config,
)
from riverboat.holdem.histories.phh import read_phhs

SMALL = """
[game]
stacks = 20
[bets]
preflop = "1p,a"
cap = 2
[cards]
scheme = "percentile"
flop = 4
turn = 4
river = 4
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def blueprint(command: Command, config: Path, tmp_path: Path) -> Path:
    out = tmp_path / "small.rb"
    answer = command(
        "train", "holdem", "--config", config, "--iterations", 20_000, "--out", out, "--json"
    )
    assert answer.code == 0, answer.err
    return out


def test_training_reports_the_size_first_and_the_figures_after(
    command: Command, config: Path, tmp_path: Path
) -> None:
    size = command("train", "holdem", "--config", config, "--dry-run", "--json").json
    assert size["infosets"] > 0
    assert size["bytes"] == 8 * (size["bytes"] // 8)
    out = tmp_path / "b.rb"
    run = ("train", "holdem", "--config", config, "--iterations", 20_000, "--out", out)
    facts = command(*run, "--json").json
    assert facts["iterations"] >= 20_000
    assert sum(facts["seats_mbb"]) == pytest.approx(0, abs=1e-6)
    first = out.read_bytes()
    answer = command(*run)
    assert answer.code == 0
    assert "infosets" in answer.out
    assert "AKs" in answer.out
    assert len(out.read_bytes()) == pytest.approx(len(first), abs=64)


def test_a_checkpoint_goes_on_where_it_stopped(
    command: Command, config: Path, tmp_path: Path
) -> None:
    whole, half, rest = (tmp_path / name for name in ("whole.rb", "half.rb", "rest.rb"))
    state = tmp_path / "state.rb"
    start = ("train", "holdem", "--config", config, "--json")
    command(*start, "--iterations", 8192, "--out", whole)
    command(*start, "--iterations", 4096, "--out", half, "--checkpoint", state)
    command("train", "holdem", "--json", "--resume", state, "--iterations", 8192, "--out", rest)
    assert (Blueprint.load(rest).weights == Blueprint.load(whole).weights).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('[bets]\npreflop = "1p,a"\ncap = 2', "[bets]\ncap = 2"), "no bet sizes"),
        (("stacks = 20", "stacks = 1"), "1 chips, fewer than the 2"),
        (('scheme = "percentile"', 'scheme = "percentil"'), "did you mean 'percentile'"),
        (("stacks = 20", "stacks = 20\nhole_cards = 1"), '"lossless" here'),
        (("flop = 4", "flop = 0"), "flop = 0"),
        (("[game]", "[gamee]"), "'gamee'"),
        (("[game]", "[game"), "no TOML"),
        (("cap = 2", "cap = 2\nhistory = 'none'"), "full or letters"),
        (("cap = 2", "cap = 0"), "nobody may bet"),
        (("cap = 2", "cap = 2.5"), "not 2.5"),
        (('"1p,a"', '""'), "empty"),
        (('"1p,a"', "5"), "'5'"),
        (("stacks = 20", "stacks = 20\nplayers = 11"), "2 to 10, not 11"),
        (("stacks = 20", "stacks = 20\nplayers = 1"), "2 to 10, not 1"),
        (("stacks = 20", "stacks = 20\nante = -1"), "below 0"),
        (("stacks = 20", "stacks = 20\nante = 25"), "20 chips, fewer than the 27"),
        (("stacks = 20", "stacks = 99999999"), "199,999,998 chips"),
        (("[game]\nstacks = 20", "game = 5"), "write [game]"),
        (("flop = 4", "flop = true"), "flop = True"),
        (("[cards]", '[cards]\nfile = "x"'), "either a scheme"),
        (("[cards]", "[training]\nperiod = 1.5\n[cards]"), "not 1.5"),
        (("[cards]", "[training]\nprune_after = 'x'\n[cards]"), "not 'x'"),
        (("[cards]", "[training]\nprune_below = nan\n[cards]"), "not nan"),
        (("[cards]", "[training]\nspeed = 3\n[cards]"), "'speed'"),
    ],
)
def test_bad_configs_are_refused_before_training(
    command: Command, tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace(*change))
    out = tmp_path / "never.rb"
    run = ("train", "holdem", "--config", path, "--out", out, "--iterations", 1)
    assert words in command.refused(*run)
    assert not out.exists()


def test_memory_that_is_not_allowed_is_refused_with_the_figure(
    command: Command, config: Path, tmp_path: Path
) -> None:
    told = command.refused(
        "train", "holdem", "--config", config, "--memory", "10kB", "--out", tmp_path / "x.rb"
    )
    assert "0.010 MB allowed" in told
    assert "infosets" in told
    lossless = tmp_path / "lossless.toml"
    lossless.write_text(SMALL.replace("percentile", "lossless").partition("\nflop")[0])
    assert "buckets" in command.refused("train", "holdem", "--config", lossless)
    assert "headsup-small" in command.refused("train", "holdem", "--config", "headsup-smal")


def test_memory_is_checked_before_card_tables_are_built_and_against_the_machine(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "large.toml"
    head = SMALL.partition("[cards]")[0]
    path.write_text(head + '[cards]\nscheme = "equity-k"\nbuckets = 5000\n')
    run = ("train", "holdem", "--config", path)
    assert "allowed" in command.refused(*run, "--memory", 0.001)
    assert not (tmp_path / "cache" / "abstractions").exists()
    with pytest.raises(TooLargeError, match=r"1\.000 MB that this machine has"):
        GamePlan.of(read_config(path), machine=10**6)
    path.write_text(head + '[cards]\nscheme = "equity-k"\nbuckets = 5001\n')
    assert "50 to 5,000 buckets per street, not 5,001" in command.refused(*run)


@pytest.mark.slow
def test_a_card_abstraction_with_tables_is_used_and_one_of_another_game_refused(
    command: Command, tmp_path: Path
) -> None:
    cards = '[cards]\nscheme = "preflop169"\n'
    path, out = tmp_path / "tables.toml", tmp_path / "tables.rb"
    path.write_text(SMALL.partition("[cards]")[0] + cards)
    run = ("train", "holdem", "--config", path, "--iterations", 4096, "--out", out, "--json")
    assert command(*run).json["buckets"] == [169] * 4
    assert len(command("holdem", "show", out, "--json").json["hands"]) == 169
    path.write_text(SMALL.partition("[cards]")[0].replace("20", "20\nranks = 9") + cards)
    assert "not for this game" in command.refused(*run)
    path.write_text(SMALL.partition("[cards]")[0] + f'[cards]\nfile = "{out}"\n')
    assert "holds a blueprint" in command.refused(*run)


@pytest.mark.e2e
def test_shipped_configs_fit_what_they_say(command: Command) -> None:
    for name, players in (("headsup-small", 2), ("sixmax-small", 6), ("headsup-100bb", 2)):
        size = command("train", "holdem", "--config", name, "--dry-run", "--json").json
        assert size["players"] == players
        assert size["bytes"] < 1e9


@pytest.mark.e2e
def test_strength_and_show(command: Command, blueprint: Path) -> None:
    options: tuple[object, ...] = (
        "--deals",
        20,
        "--lbr",
        5,
        "--response",
        5000,
        "--against",
        "call,fold",
        "--json",
    )
    figures = command("holdem", "strength", blueprint, *options).json["figures"]
    assert figures["against fold"]["mean"] > 0
    assert figures["against call"]["games"] == 40
    assert figures["local best response wins"]["boards"] == 5
    hands = command("holdem", "show", blueprint, "--json").json["hands"]
    assert len(hands) == 169
    assert all(sum(chances.values()) == pytest.approx(1) for chances in hands.values())
    options = ("--deals", 0, "--lbr", 2, "--baseline", blueprint, "--json")
    figures = command("holdem", "strength", blueprint, *options).json["figures"]
    assert figures["more than from the baseline"]["mean"] == 0
    refused = command.refused("holdem", "strength", blueprint, "--lbr", 0, "--baseline", blueprint)
    assert "--lbr 0" in refused
    assert "2 boards" in command.refused("holdem", "strength", blueprint, "--lbr", 1)
    assert "'1q'" in command.refused("holdem", "strength", blueprint, "--raises", "1q")
    assert "rules" in command.refused("holdem", "strength", blueprint, "--against", "rule")


def test_playing_at_the_table_and_writing_the_hands(
    command: Command, blueprint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nzzz\n" + "Call\nc\n" * 60))
    hands = tmp_path / "hands.phhs"
    answer = command(
        "play", "holdem", "--against", f"blueprint:{blueprint}", "--hands", 3, "--seed", 1,
        "--phh", hands,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "'zzz' is not possible here" in answer.out
    assert "blueprint: " in answer.out
    assert "your check; blueprint: " in answer.out
    assert "flop" in answer.out
    assert "score" in answer.out
    played = read_phhs(hands.read_text())
    assert len(played) == 3
    assert all(sum(hand.returns()) == 0 for hand in played)


def test_six_sit_down_against_a_sparring_partner(
    command: Command, blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("c\n" * 20 + "q\n"))
    answer = command("play", "holdem", "--players", 6, "--against", "holdem:call", "--hands", 1)
    assert answer.code == 0, answer.err
    assert "You are the small blind." in answer.out
    assert "cutoff calls 2" in answer.out
    told = command.refused("play", "holdem", "--players", 6, "--against", f"blueprint:{blueprint}")
    assert "trained for 2 players" in told
    assert "--players does nothing in kuhn" in command.refused("play", "kuhn", "--players", 3)
    told = command.refused("play", "holdem", "--players", 6, "--hint")
    assert "--hint needs a blueprint for this game" in told


def test_a_checkpoint_is_not_gone_on_with_under_another_name(
    command: Command, config: Path, tmp_path: Path
) -> None:
    state, out = tmp_path / "state.rb", tmp_path / "out.rb"
    run = ("train", "holdem", "--iterations", 2048, "--out", out, "--json")
    command(*run, "--config", config, "--seed", 3, "--checkpoint", state)
    go_on = (*run, "--resume", state)
    assert command(*go_on, "--config", config, "--seed", 3, "--threads", 1).code == 0
    assert "another config" in command.refused(*go_on, "--config", "headsup-small")
    assert "seed 3 and 1 thread" in command.refused(*go_on, "--seed", 4)
    assert "seed 3 and 1 thread" in command.refused(*go_on, "--threads", 2)
    assert "--resume and the blueprint" in command.refused(*go_on, "--out", state)
    assert "--checkpoint and the blueprint" in command.refused(*run, "--checkpoint", out)


@pytest.mark.parametrize("width", [40, 52, 66, 80, 200])
def test_the_grid_fits_the_terminal(width: int) -> None:
    import numpy as np
    from rich.console import Console

    from riverboat.drawing.grid_text import GridText
    from riverboat.drawing.hand_grid import grid_of_classes

    ones = np.ones(169)
    chances = np.tile([0.2, 0.1, 0.7], (169, 1))
    words = ("fold", "call", "raise")
    grid = grid_of_classes("first", ("f", "c", "r5"), words, chances, ones, ones)
    console = Console(width=width, file=io.StringIO())
    with console.capture() as capture:
        console.print(GridText(grid, legend=True))
    rows = capture.get().splitlines()[1 + (width >= 52) :]
    assert len(rows) == 13
    assert rows[0].startswith("AA")
    assert rows[12].rstrip().endswith("22  R" if width >= 78 else "22 R" if width >= 52 else "22")


@pytest.mark.parametrize(
    ("text", "meant"),
    [("R6", "r6"), ("raise to 6", "r6"), ("bet 6", "r6"), ("all-in", "r200"), ("A", "r200"),
     ("CALL", "c"), ("check", "c"), ("Fold", "f"), ("hint", "?"), ("q", "q"), ("", ""), ("r", "r")],
)  # fmt: skip
def test_moves_may_be_written_in_words(text: str, meant: str) -> None:
    from riverboat.cli.holdem.play_blueprint import _understood
    from riverboat.holdem.rules.state import Holdem

    state = Holdem().with_hands([[0, 1], [2, 3]])
    assert _understood(state, text) == meant
    limit = Holdem(limit="fixed-limit").with_hands([[0, 1], [2, 3]])
    assert _understood(limit, "r") == _understood(limit, "a") == "r4"


def test_every_seat_has_a_name_of_its_own() -> None:
    from riverboat.holdem.rules.table import seat_names

    for players in range(2, 11):
        names = seat_names(players)
        assert len(set(names)) == players
        assert names[-1] == "button"
    assert seat_names(4) == ("small blind", "big blind", "under the gun", "button")


def test_a_hand_that_is_left_is_written_as_far_as_it_went(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = tmp_path / "hands.phhs"
    play = ("play", "holdem", "--against", "holdem:call", "--phh", hands)
    monkeypatch.setattr("sys.stdin", io.StringIO("c\nc\nq\n"))
    left = command(*play, "--seed", 1)
    assert left.code == 0
    assert "Hand 1 was not finished; it is saved as far as it went." in left.out
    [hand] = read_phhs(hands.read_text())
    assert len(hand.state.board) >= 3
    assert sorted(len(cards) for cards in hand.state.holes) == [0, 2]  # the opponent's stay hidden
    assert "won" in command("phh", hands).out
    assert "52 cards" in command.refused(*play, "-p", "ranks=6")
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n" * 9))
    assert "riverboat phh" in command(*play, "--hands", 1, "--seed", 1).out
    assert len(read_phhs(hands.read_text())) == 1


def test_a_small_game_has_its_exact_best_response(command: Command, tmp_path: Path) -> None:
    """Leduc played uniformly loses 2.3736 antes a game (OpenSpiel), 2,373.6 thousandths."""
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    uniform = Blueprint(abstract, np.zeros(abstract.num_bytes // 8, np.uint16))
    uniform.save(tmp_path / "leduc.rb")
    run = ("holdem", "strength", tmp_path / "leduc.rb", "--deals", 4, "--against", "call")
    figures = command(*run, "--json").json["figures"]
    assert figures["best response wins, exact"]["mean"] == pytest.approx(2373.6, abs=0.1)
    assert "two players" in command.refused(*run, "--lbr", 5)
