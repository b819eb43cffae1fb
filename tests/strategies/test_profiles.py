"""Profiles: what a shift does to a hand's probabilities, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import FileFormatError, ParameterError, RiverboatError, UnknownNameError
from riverboat.strategies.profiles import Profile, Shift, read_profile, shipped_profiles

KINDS = ("fold", "call", "raise", "raise")
HANDS = np.array([[0.5, 0.0], [0.3, 0.2], [0.2, 0.2], [0.0, 0.6]])
"""(actions, hands) of a player who may raise by two sizes."""


def after(shift: Shift, equity: tuple[float, float] = (0.2, 0.8)) -> list[list[float]]:
    return shift.apply(HANDS, KINDS, np.array(equity)).round(12).T.tolist()


def test_a_share_goes_from_one_action_to_another() -> None:
    assert after(Shift("fold", "call", 0.5)) == [[0.25, 0.55, 0.2, 0], [0, 0.2, 0.2, 0.6]]
    assert after(Shift("fold", "call", 1)) == [[0, 0.8, 0.2, 0], [0, 0.2, 0.2, 0.6]]
    assert after(Shift("raise", "fold", 0.5)) == [[0.6, 0.3, 0.1, 0], [0.4, 0.2, 0.1, 0.3]]


def test_sizes_share_as_the_hand_plays_them() -> None:
    assert after(Shift("call", "raise", 1)) == [[0.5, 0, 0.5, 0], [0, 0, 0.25, 0.75]]
    plain = Shift("call", "raise", 1).apply(np.array([[0.0], [1.0], [0.0], [0.0]]), KINDS, None)
    assert plain.T.tolist() == [[0, 0, 0.5, 0.5]]


def test_larger_and_smaller_are_the_next_sizes() -> None:
    assert after(Shift("raise", "larger", 0.5)) == [[0.5, 0.3, 0.1, 0.1], [0, 0.2, 0.1, 0.7]]
    assert after(Shift("bet or raise", "smaller", 1)) == [[0.5, 0.3, 0.2, 0], [0, 0.2, 0.8, 0]]


def test_some_hands_only_by_their_equity() -> None:
    assert after(Shift("raise", "call", 1, below=0.5)) == [[0.5, 0.5, 0, 0], [0, 0.2, 0.2, 0.6]]
    assert after(Shift("raise", "call", 1, above=0.5)) == [[0.5, 0.3, 0.2, 0], [0, 1, 0, 0]]
    both = Shift("raise", "call", 1, below=0.5, above=0.3)
    assert after(both) == HANDS.T.tolist()
    assert after(Shift("raise", "call", 1, below=0.5), (float("nan"), 0.4))[0] == [0.5, 0.3, 0.2, 0]


def test_a_shift_is_at_home_where_it_says() -> None:
    shift = Shift("raise", "call", 1, street="river", facing="bet")
    assert shift.concerns(KINDS, "bet", "river")
    assert not shift.concerns(KINDS, "raise", "river")
    assert not shift.concerns(KINDS, "bet", "turn")
    assert not shift.concerns(("fold", "call"), "bet", "river")
    assert not Shift("bet", "larger", 1).concerns(("check", "bet"), "nothing", "river")


def test_any_profile_leaves_probabilities() -> None:
    rng = np.random.default_rng(7)
    strategies = rng.dirichlet(np.ones(5), size=(3, 8)).transpose(0, 2, 1)
    equities = rng.random((3, 8))
    for profile in shipped_profiles().values():
        for kinds in (("check", "bet", "bet", "bet", "bet"), ("fold", "call", *["raise"] * 3)):
            for facing in ("nothing", "bet", "raise"):
                played = strategies
                for shift in profile.shifts_at(kinds, facing, "river"):
                    played = shift.apply(played, kinds, equities)
                assert played.min() >= 0
                assert np.allclose(played.sum(axis=1), 1)


def test_six_profiles_come_along_and_own_ones_are_read(tmp_path: Path) -> None:
    assert list(shipped_profiles()) == [
        "always-continues", "bets-too-big", "calls-too-much", "folds-too-much-to-raises",
        "never-bluffs-rivers", "passive",
    ]  # fmt: skip
    assert all(profile.summary for profile in shipped_profiles().values())
    assert read_profile("Calls too much").shifts == (Shift("fold", "call", 0.5),)
    own = tmp_path / "nit.toml"
    own.write_text('[[shift]]\nfrom = "call"\nto = "fold"\nshare = 0.3\nabove = 0.1\n')
    assert read_profile(own) == Profile("nit", "", (Shift("call", "fold", 0.3, above=0.1),))


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("", RiverboatError, "one table"),
        ("shift = 3", RiverboatError, "one table"),
        ("name = 'x'", UnknownNameError, "no key of a profile called 'name'"),
        ("[[shift]]\nfrom = 'fold'\nto = 'call'", ParameterError, "no 'share'"),
        ("[[shift]]\nto = 'call'\nshare = 1", ParameterError, "no 'from'"),
        ("[[shift]]\nfrom = 'fold'\nto = 'call'\nshare = 0", ParameterError, "above 0"),
        ("[[shift]]\nfrom = 'fold'\nto = 'call'\nshare = nan", ParameterError, "above 0"),
        ("[[shift]]\nfrom = 'fold'\nto = 'call'\nshare = true", ParameterError, "is a number"),
        ("[[shift]]\nfrom = 'fold'\nto = 'fold'\nshare = 1", ParameterError, "changes nothing"),
        ("[[shift]]\nfrom = 'fold'\nto = 'larger'\nshare = 1", ParameterError, "Only bets"),
        ("[[shift]]\nfrom = 'flod'\nto = 'call'\nshare = 1", UnknownNameError, "'fold'"),
        ("[[shift]]\nfrom = 3\nto = 'call'\nshare = 1", ParameterError, "is a text"),
        ("[[shift]]\nfrom='fold'\nto='call'\nshare=1\nbelow=2", ParameterError, "from 0 to 1"),
        ("[[shift]]\nfrom='fold'\nto='call'\nshare=1\nhands='AA'", UnknownNameError, "of a shift"),
        ("[[shift]", FileFormatError, "no TOML"),
    ],
)
def test_bad_profiles_are_refused_with_a_sentence(
    text: str, kind: type[RiverboatError], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        Profile.from_toml(text)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="calls-too-much"):
        read_profile("calls-to-much")
