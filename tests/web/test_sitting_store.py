"""Sittings on disk."""

import json

import pytest

pytest.importorskip("nicegui")

from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import UsageError
from riverboat.web.app.library import Library
from riverboat.web.play.session import NEXT, SHIPPED, Kept, PlaySession, SittingStore


def test_a_sitting_played_again_is_the_same_card_for_card(tmp_path):
    store, library = SittingStore(tmp_path), Library(tmp_path)
    session = PlaySession(Kept("kuhn", {}, "equilibrium", seed=4), library, store)
    for _ in range(30):
        session.do(session.view.actions[-1] if session.view else NEXT)
    again = PlaySession(store.load(session.kept.name), library, store)
    assert again.lines == session.lines
    assert again.state == session.state
    assert again.sitting.score == session.sitting.score


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
