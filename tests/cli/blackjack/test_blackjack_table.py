"""The commands chart and simulate, and the game at the terminal."""

import contextlib
import io
import json

import pytest

from riverboat.blackjack.charts import published_chart
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.cli.blackjack.sitting import play_blackjack
from riverboat.cli.main import command_tree
from riverboat.errors import StorageError, UsageError


def run(*arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        command_tree()(args=["blackjack", *arguments], standalone_mode=False)
    return said.getvalue()


def simulated(*arguments):
    return json.loads(run("simulate", "--json", "--threads", "1", *arguments))


@pytest.mark.parametrize(
    ("form", "start"), [("svg", "<svg"), ("html", "<!doctype html>"), ("csv", "table,hand,2")]
)
def test_chart_in_every_format(form, start, tmp_path):
    out = tmp_path / f"chart.{form}"
    printed = run("chart", "--rules", "infinite", "--format", form)
    assert printed.startswith(start)
    run("chart", "--rules", "infinite", "--format", form, "--out", str(out))
    assert out.read_text(encoding="utf-8") == printed


def test_chart_as_text():
    printed = run("chart", "--rules", "vegas-6d-s17", "--strategy", "published")
    assert max(map(len, printed.splitlines())) <= 80
    assert "6 decks, dealer stands on soft 17" in printed
    assert "   16  S  S  S  S  S  H  H  H  H  H" in printed


def test_chart_of_a_charlie_table_says_what_it_cannot_know():
    printed = run("chart", "--rules", "combo-charlie", "--strategy", "published")
    assert max(map(len, printed.splitlines())) <= 80
    assert "any number of cards" in " ".join(printed.split())


def test_png_goes_to_a_file(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "chart.png"
    run("chart", "--format", "png", "--strategy", "published", "--out", str(out))
    assert out.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UsageError, match="--out"):
        run("chart", "--format", "png")
    with pytest.raises(StorageError, match="does not exist"):
        run("chart", "--format", "png", "--out", str(tmp_path / "no" / "chart.png"))


def test_simulate_as_json_agrees_with_the_exact_value():
    facts = simulated("--rounds", "2e6", "--fresh", "--seed", "5", "--strategy", "published")
    rules = BlackjackRules()
    exact = analyse(rules, strategy=published_chart(rules)).ev
    assert facts["rounds"] == 2_000_000
    assert abs(facts["ev"] - exact) < 4 * facts["stderr"]
    assert facts["exact_ev"] == pytest.approx(exact)
    assert facts["average_bet"] == 1
    assert facts["ev_per_hour"] == pytest.approx(100 * facts["ev"])
    assert facts["sd_per_hour"] == pytest.approx((100 * facts["variance"]) ** 0.5)
    assert facts["n0"] == pytest.approx(facts["variance"] / facts["ev"] ** 2)
    assert facts["risk_of_ruin"] == 1
    assert facts["rounds_per_second"] == pytest.approx(facts["rounds"] / facts["seconds"])
    assert facts["rules"]["decks"] == 6
    assert {"seats", "penetration", "seed", "count", "ramp", "deviations"} <= set(facts)


def test_simulate_is_the_same_for_the_same_seed():
    one, two, other = (
        simulated("--rounds", "20000", "--rules", "double-deck", "--seed", seed)["ev"]
        for seed in ("1", "1", "2")
    )
    assert one == two != other


def test_simulate_a_counter_at_a_full_table():
    options = ["--rounds", "200000", "--count", "hilo", "--seats", "5", "--seat", "5"]
    facts = simulated(*options, "--ramp", "1 10@2", "--deviations", "illustrious18")
    assert facts["count"] == "hilo"
    assert facts["ramp"] == "1 10@2"
    assert len(facts["deviations"]) == 18
    assert 1 < facts["average_bet"] < 4
    assert sum(row["share"] for row in facts["by_count"]) == pytest.approx(1)
    printed = run("simulate", *options, "--threads", "1", "--others", "same")
    assert "seat 5 of 5" in printed
    assert "risk of ruin" in printed


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["simulate", "--rounds", "0"], "--rounds"),
        (["simulate", "--rounds", "many"], "--rounds"),
        (["simulate", "--ramp", "1 2@1"], "--count"),
        (["simulate", "--resolution", "13"], "--count"),
        (["simulate", "--others", "same"], "--seats"),
        (["simulate", "--fresh", "--penetration", "0.5"], "--penetration"),
        (["simulate", "--rules", "infinite", "--fresh"], "--fresh"),
        (["chart", "--strategy", "hope"], "hope"),
        (["hand", "8,8", "--up", "6", "--hands", "99"], "at most"),
        (["hand", "A,5", "--up", "6", "--hands", "3"], "2 hands"),
        (["simulate", "--count", "hallo"], "hallo"),
        (["simulate", "--count", "hilo", "--rules", "infinite"], "infinite"),
        (["simulate", "--seats", "9"], "seats"),
        (["simulate", "--seed", "-1"], "seed"),
        (["simulate", "--bankroll", "0"], "--bankroll"),
        (["simulate", "--bankroll", "nan"], "--bankroll"),
        (["simulate", "--rounds", "10", "--threads", "0"], "threads"),
        (["simulate", "--rules", "vegas"], "vegas"),
        (["simulate", "--set", "decks=0"], "decks"),
        (["chart", "--set", "colour=red"], "colour"),
    ],
)
def test_bad_options_are_refused_by_name(command, arguments, named):
    assert named in command.refused("blackjack", *arguments)


def test_more_rounds_than_anybody_can_wait_for_are_refused_with_the_time(command):
    assert "years" in command.refused("blackjack", "simulate", "--rounds", "1e30")
    assert "rounds would take about" in command.refused("blackjack", "simulate", "--rounds", "1e18")


def test_a_run_that_is_stopped_says_so(command, monkeypatch):
    from riverboat.blackjack.simulation.simulate import BLOCK_ROUNDS
    from riverboat.blackjack.simulation.tables import Tables

    calls = []

    def block(self, rounds, counter, played=Tables.block):
        calls.append(rounds)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return played(self, rounds, counter)

    monkeypatch.setattr(Tables, "block", block)
    arguments = ("simulate", "--rounds", 3 * BLOCK_ROUNDS, "--threads", 1, "--rules", "infinite")
    shown = command("blackjack", *arguments).out
    assert f"Cut short: {BLOCK_ROUNDS:,} of {3 * BLOCK_ROUNDS:,} rounds" in shown
    calls.clear()
    assert command("blackjack", *arguments, "--json").json["cut_short"] is True


def test_a_chart_as_data(command):
    facts = command("blackjack", "chart", "--rules", "single-deck", "--json").json
    assert facts["pairs"]["7,7"]["T"] == "S"  # published for one deck
    assert facts["ev"] == pytest.approx(-0.0018767, abs=1e-6)
    assert "--format" in command.refused("blackjack", "chart", "--json", "--format", "csv")


def played(monkeypatch, capsys, answers, rules, **options):
    """The output of a game whose questions are answered in turn, over and over."""
    given = iter(answers)

    def answer():
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    play_blackjack(rules, 7, **options)
    return capsys.readouterr().out


def test_play_keeps_the_accounts(monkeypatch, capsys):
    answers = ["2", *["", "s", "n"] * 60]
    out = played(monkeypatch, capsys, answers, rules_from("single-deck"), rounds=12, coach=True)
    assert "12 rounds" in out
    assert out.count("shuffled") >= 2
    money = sum(
        float(line.split()[-1].rstrip(".")) * (1 if "win" in line else -1)
        for line in out.splitlines()
        if line.startswith("  You ")
    )
    assert f"12 rounds, {money:+g} units" in out
    assert "Mistakes cost" in out


@pytest.mark.parametrize("name", ["combo-charlie", "european", "infinite", "atlantic-city"])
def test_play_goes_through_any_rules(monkeypatch, capsys, name):
    answers = ["", "?", "p", "d", "h", "n", "s", "x"] * 40
    out = played(monkeypatch, capsys, answers, rules_from(name), rounds=8)
    assert "rounds," in out


def test_play_early_surrender_shows_values_before_the_peek(monkeypatch, capsys):
    rules = BlackjackRules(decks=1, surrender="early")
    out = played(monkeypatch, capsys, ["", "?", "n", "s", "r"] * 40, rules, rounds=15)
    assert "surrender" in out
    assert "-0.5000" in out


def test_play_refuses_a_bet_beyond_the_bankroll(monkeypatch, capsys):
    with pytest.raises(UsageError, match="bankroll"):
        play_blackjack(BlackjackRules(), bankroll=1, bet=2)
    out = played(monkeypatch, capsys, ["500", "q"], BlackjackRules())
    assert "at most 100" in out
    assert "0 rounds" in out
