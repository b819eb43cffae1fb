"""riverboat abstraction: build, show, bucket; JSON for programs; bad input in one sentence."""

from pathlib import Path

import pytest

from commands import Command


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    return tmp_path


def test_build_show_bucket(command: Command, cache: Path) -> None:
    built = command("abstraction", "build", "features", "--street", "flop", "--json")
    assert built.code == 0
    path = cache / "abstractions" / "features-flop.rb"
    assert built.json["file"] == str(path)
    assert built.json["name"] == "features-flop"
    assert path.is_file()
    num = built.json["buckets"]["flop"]
    assert built.json["buckets"] == {"preflop": 169, "flop": num, "turn": num, "river": num}
    shown = command("abstraction", "show", "features-flop", "--json").json
    assert shown["buckets"] == built.json["buckets"]
    listed = command("abstraction", "show", path, "--street", "flop", "--limit", 3, "--json").json
    assert [*listed["shown"]] == ["0", str(round((num - 1) / 2)), str(num - 1)]
    assert listed["shown"][str(num - 1)].startswith("straight flush, ace high")
    hand = ("abstraction", "bucket", "AsKd", "Qs Js 2d", "-a", "features-flop")
    facts = command(*hand, "--json").json
    assert facts["street"] == "flop"
    assert facts["hand"] == "AsKd"
    assert "gutshot" in facts["description"]
    text = command(*hand)
    assert str(facts["bucket"]) in text.out
    assert facts["description"] in text.out


def test_preflop_needs_no_file(command: Command, cache: Path) -> None:
    facts = command("abstraction", "bucket", "Ts9s", "-a", "preflop169", "--json").json
    assert (facts["street"], facts["buckets"], facts["description"]) == ("preflop", 169, "T9s")
    assert not list(cache.iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("build", "nothing"), "nothing"),
        (("build", "equity-k", "--buckets", "10"), "50 to 5,000"),
        (("build", "equity-k", "--buckets", "many"), "--buckets"),
        (("build", "equity-k", "--buckets", "100,200"), "flop, turn and river"),
        (("build", "features", "--buckets", "200"), "no number of buckets"),
        (("build", "features", "--street", "preflop"), "preflop"),
        (("build", "features", "--out", "/nowhere/x.rb"), "/nowhere"),
        (("show", "equity-k-321"), "riverboat abstraction build equity-k --buckets 321"),
        (("show", "missing.rb"), "missing.rb"),
        (("show", "preflop169", "--street", "showdown"), "showdown"),
        (("bucket", "AsAs"), "twice"),
        (("bucket", "AsKd", "Qs Js"), "board"),
        (("bucket", "AsKx"), "not a card"),
    ],
)
def test_bad_input(command: Command, cache: Path, arguments: tuple[str, ...], words: str) -> None:
    answer = command("abstraction", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
