"""Sittings on disk."""

import gc
import json
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi")

from hypothesis import given
from hypothesis import strategies as st

import riverboat as rb
from riverboat.errors import UsageError
from riverboat.runtime.stopping import Stop
from riverboat.web.app.library import Library
from riverboat.web.blackjack.casino import CasinoSession
from riverboat.web.play.session import (
    NEXT,
    SHIPPED,
    AbandonedError,
    Kept,
    PlaySession,
    SittingStore,
    sit_down,
)


def test_a_sitting_played_again_is_the_same_card_for_card(tmp_path):
    store, library = SittingStore(tmp_path), Library(tmp_path)
    session = PlaySession(Kept("kuhn", {}, "equilibrium", seed=4), library, store)
    for _ in range(30):
        session.do(session.view.actions[-1] if session.view else NEXT)
    again = PlaySession(store.load(session.kept.name), library, store)
    assert again.lines == session.lines
    assert again.state == session.state
    assert again.sitting.score == session.sitting.score


def test_a_click_for_a_decision_that_is_over_does_nothing(tmp_path):
    """The second click of a double click, and a key that is held down."""
    session = PlaySession(
        Kept("kuhn", {}, "equilibrium", seed=4), Library(tmp_path), SittingStore(tmp_path)
    )
    assert session.do("p", 0)
    lines = list(session.lines)
    assert not session.do("p", 0)
    assert not session.do(NEXT, 7)
    assert session.kept.actions == ["p"]
    assert session.lines == lines


def test_clicks_that_arrive_together_are_one_move(tmp_path):
    session = PlaySession(
        Kept("leduc", {}, "random", seed=4), Library(tmp_path), SittingStore(tmp_path)
    )
    with ThreadPoolExecutor(8) as pool:
        played = list(pool.map(lambda _: session.do("c", 0), range(8)))
    assert sorted(played) == [False] * 7 + [True]
    assert session.kept.actions == ["c"]
    assert session.store.load(session.kept.name).actions == ["c"]


@pytest.mark.parametrize("game", ["kuhn", "blackjack"])
def test_two_tabs_of_one_sitting_play_one_game(tmp_path, game):
    store, library = SittingStore(tmp_path), Library(tmp_path)

    def tab(kept):
        if game == "blackjack":
            return CasinoSession(kept, store)
        return PlaySession(kept, library, store)

    def moves(session):
        if game == "blackjack":
            return session.seat.affordable(session.seat.table) if not session.over else ["bet:1"]
        return [NEXT] if session.over else session.view.actions

    first = tab(Kept(game, {}, "equilibrium" if game == "kuhn" else "", seed=4))
    store.save(first.kept)
    second = tab(store.load(first.kept.name))
    for _ in range(6):
        assert first.do(moves(first)[0], first.decisions)
        # The other tab shows an older table: its move does nothing but take this one in.
        assert not second.do(moves(second)[0], second.decisions)
        assert (second.lines, second.kept.actions) == (first.lines, first.kept.actions)
    again = tab(store.load(first.kept.name))
    assert again.lines == first.lines


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", '{"game": 3}', '{"name": "x"}', json.dumps({"game": "kuhn", "x": 1})]
)
def test_a_damaged_sitting_is_forgotten(tmp_path, raw):
    store = SittingStore(tmp_path)
    (tmp_path / "abcdefgh.json").write_text(raw)
    assert store.load("abcdefgh") is None


@given(st.text(max_size=30))
def test_no_name_leads_out_of_the_folder(tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp() / "store" / "inner"
    assert SittingStore(folder).load("../" + name) is None
    assert SittingStore(folder).load(name) is None


def test_old_sittings_are_forgotten(tmp_path):
    store = SittingStore(tmp_path)
    for _ in range(5):
        store.save(Kept("kuhn"))
    store.tidy(3)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_blueprint_takes_its_own_stacks_however_they_are_written(tmp_path):
    store, library = SittingStore(tmp_path), Library(tmp_path)
    for stacks in ("100", "100,100"):
        asked = {"players": "2", "stacks": stacks}
        assert PlaySession(Kept("holdem", asked, SHIPPED), library, store).view is not None
    with pytest.raises(UsageError, match="plays with stacks 100, not 100,200"):
        PlaySession(Kept("holdem", {"stacks": "100,200"}, SHIPPED), library, store)


def test_an_abandoned_sitting_is_not_solved_to_its_end(tmp_path):
    """The person left: the solving stops, and nothing half solved is an opponent of others."""
    kept = Kept("leduc", {"ranks": "4"}, "equilibrium", seed=4)
    store, library, left = SittingStore(tmp_path), Library(tmp_path), Stop()
    left.request()
    with pytest.raises(AbandonedError):
        sit_down(kept, library, store, left)
    session = sit_down(kept, library, store, Stop())
    assert session.advice is not None
    assert rb.evaluate(session.coach.strategy).exploitability < 1e-4  # type: ignore[arg-type]


def test_a_large_opponent_lasts_as_long_as_its_sittings(tmp_path, monkeypatch):
    monkeypatch.setattr("riverboat.web.play.session.SMALL_COACH", 1)
    store, library = SittingStore(tmp_path), Library(tmp_path)
    first = PlaySession(Kept("rps", {"rock_stake": "3"}, "equilibrium"), library, store)
    second = PlaySession(Kept("rps", {"rock_stake": "3"}, "equilibrium"), library, store)
    assert first.coach is second.coach
    coach = weakref.ref(first.coach)
    del first
    gc.collect()
    assert coach() is not None
    del second
    gc.collect()
    assert coach() is None
