"""The bot's memory: merged, aged, compressed, repaired, rebuilt into the search."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_simulation import learn_simulation, simulate
from riverboat.blackjack.rules import LETTERS, PRESETS
from riverboat.blackjack.search._memory_text import format_memory, parse_memory
from riverboat.blackjack.search.mcts import Budget, Search, SearchConfig
from riverboat.blackjack.search.memory import LIMIT, Counts, Knowledge, probability, state_of
from riverboat.blackjack.search.problem import TWENTYONE, Situation, Table, hand_number
from riverboat.blackjack.search.tree import exact_values, measure_convergence, random_situations
from riverboat.errors import FileFormatError, StorageError, UsageError
from riverboat.strategies.files import read_arrays, write_arrays

COMBO = Table(PRESETS["combo-charlie"])
REAL = (
    "/10BA4AD$DW106U4L286|SW26L174|HW34U2L164$H$DW106U15L264$TS$DW122U11L256$"
    "/10B8KKS$DW28U1L370|SW170U13L17|HL200$/10B85QH$H$"
)
"""A memory that the old bot wrote; it simulated every action 200 times."""


def learnt(count: int = 300, simulations: int = 500) -> Knowledge:
    knowledge, search = Knowledge(), Search(seed=1)
    for situation in random_situations(COMBO, count, seed=2):
        knowledge.learn(search.run(situation, Budget(simulations)))
    return knowledge


def test_weighted_counts_as_the_old_bot_wrote_them() -> None:
    knowledge = Knowledge.from_text(REAL)
    first = knowledge.table["A", "A4"]
    assert {action: counts.visits(action) for action, counts in first.items()} == {
        "D": 200,
        "S": 200,
        "H": 200,
    }
    assert first["D"].mean("D") == (106 - 286) / 200
    assert first["S"].mean("S") == (26 - 174) / 200
    assert knowledge.table["8", "TT"]["S"] == Counts(170, 13, 17)
    assert knowledge.best(("8", "TT")) == "S"
    assert ("8", "5T") not in knowledge.table


def test_a_later_block_with_the_first_action_s_label_is_put_right() -> None:
    # The old bot labelled later blocks of a round with the round's first action.
    knowledge = Knowledge.from_text("/10B85QH$HW50L150$4S$HW120U20L60$")
    assert knowledge.table["8", "5T"] == {"H": Counts(50, 0, 150)}
    assert knowledge.table["8", "45T"] == {"S": Counts(120, 20, 60)}
    right = Knowledge.from_text("/10B85QH$HW50L150$4S$SW120U20L60|HW9L90$")
    assert right.table["8", "45T"] == {"S": Counts(120, 20, 60), "H": Counts(9, 0, 90)}


def test_what_is_written_is_labelled_rightly() -> None:
    knowledge = Knowledge()
    knowledge.add(("8", "5T"), "H", Counts(50, 0, 50))
    knowledge.add(("8", "45T"), "S", Counts(70, 10, 20))
    knowledge.add(("8", "45T"), "H", Counts(5, 0, 95))
    assert knowledge.text() == "/10B85TH$HW50L50$4S$SW70U10L20|HW5L95$"
    assert Knowledge.from_text(knowledge.text()).table == knowledge.table


def test_states_merge_whatever_the_order_but_pairs_keep_their_rank() -> None:
    assert state_of("K", "Q5") == state_of("T", "5J") == ("T", "5T")
    assert state_of("8", "KK") == ("8", "TT")
    assert state_of("8", "KQ") == ("8", "TJ")
    assert state_of("8", "253") == state_of("8", "532") == ("8", "235")
    text = "/10B85QH$HW1L3$/50B8K5H$HW2U1L5$"
    assert Knowledge.from_text(text).table == {("8", "5T"): {"H": Counts(3, 1, 8)}}
    merged = Knowledge.from_text(text)
    merged.merge(merged)
    assert merged.table["8", "5T"]["H"] == Counts(6, 2, 16)
    merged.age(0.5)
    assert merged.table["8", "5T"]["H"] == Counts(3, 1, 8)


def test_probabilities_of_first_hands_add_up() -> None:
    cards = "A23456789T"
    hands = {state_of(up, a + b) for up in cards for a in cards for b in cards}
    hands |= {(up, "TJ") for up in cards}
    # Two tens of one rank are a quarter of all two tens.
    assert sum(map(probability, hands)) == pytest.approx(1.0)
    assert probability(("T", "TT")) == pytest.approx(4 / 13 * 16 / 169 / 4)


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.builds(
            lambda up, hand: state_of(up, "".join(hand)),
            st.sampled_from("A23456789T"),
            st.lists(st.sampled_from("A2345"), min_size=2, max_size=4),
        ),
        st.dictionaries(
            st.sampled_from("SHDP"),
            st.builds(Counts, st.integers(1, 99), st.integers(0, 99), st.integers(0, 99)),
            min_size=1,
        ),
        max_size=12,
    )
)
def test_text_and_knowledge_round_trip(table: dict[tuple[str, str], dict[str, Counts]]) -> None:
    knowledge = Knowledge(table)
    text = knowledge.text()
    assert Knowledge.from_text(text).table == table
    assert format_memory(parse_memory(text)) == text


def test_compressed_to_the_limit_with_what_was_dropped() -> None:
    knowledge = learnt(800)
    assert len(knowledge.text()) > LIMIT
    for limit in (1_000, LIMIT):
        kept, dropped = knowledge.compressed(limit)
        assert limit - 200 < len(kept.text()) <= limit
        assert dropped.states == len(knowledge.table) - len(kept.table)
        assert 0 < dropped.visits < 1
        assert 0 < dropped.probability < 1
    # Tens come four times as often as other cards, so hands with them are kept first.
    small, _ = knowledge.compressed(1_000)
    rare = [s for s in knowledge.table if len(s[1]) > 3]
    assert rare
    assert not any(state in small.table for state in rare)
    everything, nothing = knowledge.compressed(1_000_000)
    assert len(everything.table) == len(knowledge.table)
    assert (nothing.states, nothing.probability) == (0, pytest.approx(0.0))


def test_a_text_that_fits_keeps_every_count(tmp_path: Path) -> None:
    before = Knowledge.from_text(REAL)
    dropped = before.save(tmp_path / "bot.txt")
    assert (dropped.states, dropped.visits) == (0, 0)
    assert Knowledge.load(tmp_path / "bot.txt").table == before.table
    # Too long as it is: counts lose digits before any state is lost.
    before.age(1e6)
    short, dropped = before.compressed(len(Knowledge.from_text(REAL).text()))
    assert short.table.keys() == before.table.keys()
    assert short.table["8", "TT"]["S"].mean("S") == pytest.approx((170 - 17) / 200, abs=0.02)


def test_what_is_remembered_is_what_was_found() -> None:
    situation = Situation.of(COMBO, "T,6", "T")
    result = Search().run(situation, Budget(50_000))
    knowledge = Knowledge()
    knowledge.learn(result)
    known = knowledge.table["T", "6T"]
    for letter, found in result.actions.items():
        assert known[letter].visits(letter) == pytest.approx(found.visits)
        assert known[letter].mean(letter) == pytest.approx(found.value)
    short, _ = knowledge.compressed()
    assert short.table["T", "6T"]["H"].mean("H") == pytest.approx(
        exact_values(situation)["H"], abs=0.02
    )
    prior = knowledge.prior("K")
    assert prior[hand_number("T6"), LETTERS.index("H"), 1] == known["H"].mean("H")
    assert (prior[hand_number("T7")] == 0).all()


def test_memory_helps_at_small_budgets() -> None:
    knowledge = learnt(2_000)
    priors = {up: knowledge.prior(up) for up in "A23456789TJQK"}
    situations = random_situations(COMBO, 300, seed=5)
    for config in (SearchConfig(), SearchConfig(rollout="greedy"), SearchConfig("puct")):
        plain = measure_convergence(situations, chooser(config, {})).regret
        helped = measure_convergence(situations, chooser(config, priors)).regret
        assert helped < plain / 2


def chooser(
    config: SearchConfig, priors: dict[str, NDArray[np.float64]]
) -> Callable[[Situation], str]:
    search = Search(config, seed=3)
    return lambda s: search.run(s, Budget(10), memory=priors.get(s.up)).best


def test_files_of_both_kinds(tmp_path: Path) -> None:
    knowledge = learnt(100)
    binary, text = tmp_path / "memory.rb", tmp_path / "memory.txt"
    assert knowledge.save(binary).states == 0
    assert Knowledge.load(binary).table == knowledge.table
    dropped = knowledge.save(text, limit=500)
    assert len(text.read_text()) <= 500
    assert len(Knowledge.load(text).table) == len(knowledge.table) - dropped.states
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("/10B85QX$")
    with pytest.raises(FileFormatError, match="character 8"):
        Knowledge.load(wrong)
    wrong.write_bytes("/10Bé".encode())
    with pytest.raises(FileFormatError, match="character 5"):
        Knowledge.load(wrong)
    with pytest.raises(StorageError, match="no file"):
        Knowledge.load(tmp_path / "none.txt")
    binary.write_bytes(binary.read_bytes()[:-5])
    with pytest.raises(FileFormatError):
        Knowledge.load(binary)


def test_a_binary_memory_knows_its_table(tmp_path: Path) -> None:
    knowledge, path = learnt(20), tmp_path / "memory.rb"
    knowledge.save(path)
    again = Knowledge.load(path)
    assert again.rules == COMBO.words == COMBO.rules.summary
    again.check_rules(COMBO.words)
    other = Table(PRESETS["vegas-6d-s17"])
    with pytest.raises(UsageError, match=r"memory.rb comes from another table .*6 decks"):
        again.check_rules(other.words, str(path))
    with pytest.raises(UsageError, match="another table"):
        again.learn(Search().run(Situation.of(other, "T,6", "T"), Budget(10)))
    with pytest.raises(UsageError, match="another table"):
        again.merge(Knowledge(rules=TWENTYONE.words))
    assert knowledge.compressed()[0].rules == COMBO.words


def test_memories_that_do_not_say_their_table_are_taken(tmp_path: Path) -> None:
    knowledge, path = learnt(20), tmp_path / "old.rb"
    knowledge.save(path)
    arrays, header = read_arrays(path, "mcts-memory")
    del header["rules"]
    write_arrays(path, "mcts-memory", arrays, header)
    old = Knowledge.load(path)
    assert old.rules == Knowledge.from_text(REAL).rules == ""
    assert old.table == knowledge.table
    old.check_rules(TWENTYONE.words)
    old.merge(knowledge)
    assert old.rules == COMBO.words
    knowledge.save(tmp_path / "memory.txt")
    assert "deck" not in (tmp_path / "memory.txt").read_text()


def test_a_simulation_memory_is_written_read_and_learnt_from() -> None:
    situation = Situation.of(COMBO, "T,2", "6")
    simulation = simulate(situation, "SHD", 900, bid=20, seed=1)
    text = format_memory(simulation)
    assert text.startswith("?20BSHD/20B6T2S/20B6T2H")
    assert parse_memory(text) == simulation
    knowledge = Knowledge()
    learn_simulation(knowledge, simulation, COMBO)
    exact = exact_values(situation)
    known = knowledge.table["6", "2T"]
    assert known["S"].mean("S") == pytest.approx(exact["S"], abs=1e-9)
    assert known["D"].mean("D") == pytest.approx(exact["D"], abs=0.3)
    assert known["S"].visits("S") == pytest.approx(300)
    assert known["H"].visits("H") == pytest.approx(300)
    assert np.isclose(known["D"].visits("D"), 300, rtol=0.1)
