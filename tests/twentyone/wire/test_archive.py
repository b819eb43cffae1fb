"""The file of tournaments: what is damaged in it is refused in a sentence."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from riverboat.errors import FileFormatError, TooLargeError
from riverboat.twentyone.wire.tournament_archive import TournamentStore, to_csv
from riverboat.twentyone.wire.tournament_rounds import (
    MAX_ENTRANTS,
    TournamentFormat,
    TournamentResult,
    bye,
)


@pytest.fixture
def store(tmp_path: Path) -> TournamentStore:
    found = TournamentStore(tmp_path / "kept.sqlite")
    tables = [bye(1, 1, "ada", final=False), bye(2, 2, "ada", final=True)]
    found.add(TournamentResult("spring", 7, "2026-04-01", TournamentFormat(), tables, ["bob"]))
    return found


def change(store: TournamentStore, text: str, column: str = "facts") -> None:
    with sqlite3.connect(store.path) as db:
        db.execute(f"UPDATE tournament SET {column} = ?", (text,))
    db.close()


def damage(facts: dict[str, Any], path: str, value: object) -> None:
    *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    place: Any = facts
    for key in way:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value


def test_what_was_kept_is_given_back(store: TournamentStore) -> None:
    facts = store.facts(1)
    assert facts["champion"] == "ada"
    assert to_csv(facts).count("\n") == 3


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", "{}", "[" * 100_000, '{"tables": [], "name": "x"}']
)
def test_facts_that_are_none_are_refused(store: TournamentStore, text: str) -> None:
    change(store, text)
    with pytest.raises(FileFormatError, match="is damaged and cannot be shown"):
        store.facts(1)


@pytest.mark.parametrize("value", [None, "x", -1, [], {}, 1.5, True, float("nan")])
@pytest.mark.parametrize(
    "path",
    ["name", "tables", "champion", "verdict", "withdrawn/0", "tables/0/stage", "tables/1/table",
     "tables/0/all_equal", "tables/0/placings", "tables/0/placings/0", "tables/0/placings/0/wins",
     "tables/0/placings/0/low", "tables/0/placings/0/name", "tables/0/placings/0/advanced"],
)  # fmt: skip
def test_a_changed_field_is_refused_or_shown(
    store: TournamentStore, path: str, value: object
) -> None:
    """Whatever stands in the file: a sentence, or facts that can be printed."""
    facts = store.facts(1)
    damage(facts, path, value)
    change(store, json.dumps(facts))
    try:
        found = store.facts(1)
    except FileFormatError:
        return
    to_csv(found)
    for table in found["tables"]:
        for placing in table["placings"]:
            f"{placing['wins']:,} {placing['low']:.1%} {placing['score']:+,}"


def test_a_plan_that_is_none_is_refused(store: TournamentStore) -> None:
    change(store, '{"name": 3}', "plan")
    with pytest.raises(FileFormatError, match="cannot go on"):
        store.plan()


def test_a_tournament_has_room_for_a_limited_number() -> None:
    format = TournamentFormat()
    assert format.stages(MAX_ENTRANTS)
    with pytest.raises(TooLargeError, match="at most 10,000 entrants"):
        format.stages(10**12)
