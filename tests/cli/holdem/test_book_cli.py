"""`riverboat holdem book`: made of a blueprint, looked up, drawn, exported."""

import csv
import json

import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES
from riverboat.cards.ranges import parse_range
from riverboat.holdem.blueprints.trainer import train_blueprint

CONFIG = """
[game]
players = 3
stacks = 20
[bets]
preflop = ["a"]
flop = "1p"
cap = [1, 1, 1, 1]
field = [1, 3]
history = "preflop"
[cards]
scheme = "percentile"
flop = 1
turn = 1
river = 1
"""


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    (folder / "short.toml").write_text(CONFIG)
    train_blueprint(folder / "short.toml", iterations=30_000).save(folder / "short.rb")
    return folder / "short.rb"


@pytest.fixture(scope="module")
def made(blueprint):
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.preflop.make_book import make_book

    path = blueprint.parent / "book.rb"
    make_book(Blueprint.load(blueprint), deals=20_000).save(path, small=True)
    return path


def test_a_book_is_made_and_looked_up(command: Command, blueprint, tmp_path):
    out = tmp_path / "book.rb"
    shown = command("holdem", "book", "--from", blueprint, "--deals", "10000", "--out", out)
    assert shown.code == 0
    assert "Book before the flop: 3 players, 10 big blinds" in shown.out
    assert "gain of deviating" in shown.out
    assert "gains on 2,500 others" in shown.out
    assert rb.load(out).seats == ("btn", "sb", "bb")
    # The other command for games before the flop shows it, too.
    assert "SB to open" in command("holdem", "preflop", out, "--line", "f").out


def test_one_decision_one_hand_and_ranges(command: Command, made):
    shown = command("holdem", "book", made, "f")
    assert "SB to open" in shown.out
    assert "all-in" in shown.out
    one = command("holdem", "book", made, "f", "--hand", "AA")
    assert "100.0 %" in one.out  # aces go all-in
    assert "-0.50 ± 0.00" in one.out  # a fold loses the blind
    for form in ("pio", "gto+", "equilab"):
        text = command("holdem", "book", made, "a", "--as", form, "--action", "c").out.strip()
        assert parse_range(text, "plain" if form == "equilab" else form).combos.size
    facts = command("holdem", "book", made, "a", "--json").json
    assert [node["seat"] for node in facts["nodes"]] == ["sb"]
    assert facts["nodes"][0]["values"]["AA"][0] == -0.5


def test_tables_and_charts(command: Command, made, tmp_path):
    table, data, drawn = tmp_path / "book.csv", tmp_path / "book.json", tmp_path / "book.svg"
    assert command("holdem", "book", made, "--export", table, "--chart", drawn).code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    book = rb.load(made)
    assert len(rows) == NUM_CLASSES * sum(len(node.actions) for node in book.nodes)
    assert set(rows[0]) == {"line", "seat", "hand", "action", "frequency", "ev", "ev_ci95", "reach"}
    assert drawn.read_text().count(">AKs<") == 4  # two seats open, each name with its halo
    assert command("holdem", "book", made, "f", "--export", data).code == 0
    (node,) = json.loads(data.read_text())["nodes"]
    assert (node["line"], set(node["frequencies"])) == (["f"], set(CLASS_NAMES))
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert command("holdem", "book", made, "--export", tmp_path / "book.parquet").code == 0
    assert pyarrow.read_table(tmp_path / "book.parquet").num_rows == len(rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("f-r3",), "SB has no action 'r3'"),
        (("f", "--hand", "AKx"), "hand"),
        (("--chart", "book.xls"), "--chart writes .svg, .html, .pdf or .png"),
        (("--export", "book.xls"), "--export writes .json, .csv, .parquet or .arrow"),
        (("--action", "c"), "give --as"),
        (("--deals", "10"), "--deals is for a book that is made with --from"),
        (("--from", "short.rb"), "give --out FILE"),
        (("f", "--as", "snowie"), "form of a range"),
    ],
)
def test_mistakes_are_one_sentence(command: Command, made, words, said):
    answer = command("holdem", "book", made, *words)
    assert answer.code == 2
    assert said in " ".join(answer.err.split())


def test_a_foreign_or_missing_file_and_too_few_deals(command: Command, blueprint, tmp_path):
    assert command("holdem", "book", tmp_path / "none.rb").code == 2
    assert "blueprint" in command("holdem", "book", blueprint).err
    rb.solve(rb.preflop(stacks=[10, 10])).save(tmp_path / "ten.rb")
    assert "is no book" in command("holdem", "book", tmp_path / "ten.rb").err
    out = tmp_path / "book.rb"
    few = command("holdem", "book", "--from", blueprint, "--deals", "0", "--out", out)
    assert few.code == 2
    assert "A book takes 1 to" in few.err
    assert not out.exists()
