"""The ACPC dealer: transcripts, rough answers and the clock, with players that follow scripts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acpc_scripts import Scripted, always, match
from riverboat.errors import UsageError
from riverboat.holdem.acpc.dealer import AcpcMatch
from riverboat.holdem.acpc.definitions import PRESETS

GOLDEN = Path(__file__).parents[2] / "golden" / "acpc"


Turn = str | tuple[str, ...]
"""What a scripted player sends: an action, or whole lines in which {line} is the one it got."""


def sayings(turn: Turn, line: str) -> list[str]:
    if isinstance(turn, str):
        return [f"{line}:{turn}"]
    return [text.replace("{line}", line) for text in turn]


def transcript(name: str, hands: int, scripts: list[list[Turn]]) -> str:
    """What each seat of a scripted match sends and gets, then the log without its comments."""
    game = PRESETS[name]
    notes: list[list[str]] = [[] for _ in range(game.players)]

    def by_turns(script: list[Turn]) -> Callable[[str], list[str | None]]:
        turns = iter(script)
        return lambda line: [*sayings(next(turns, "c"), line)]

    seats = [
        Scripted(game, by_turns(script), note) for script, note in zip(scripts, notes, strict=True)
    ]
    result = match(game, hands).play(seats)
    parts = [f"seat {seat + 1}\n" + "\n".join(note) for seat, note in enumerate(notes)]
    log = [line for line in result.log if not line.startswith("#")]
    return "\n\n".join([*parts, "log\n" + "\n".join(log) + "\n"])


SCRIPTS: dict[str, tuple[str, int, list[list[Turn]]]] = {
    "nolimit-2p": (
        "nolimit-2p",
        3,
        [
            ["r300", "c", "r900", "c", "c", "c", "c", "f"],
            ["c", "c", "c", "r1500", "r20000", "r200"],
        ],
    ),
    "nolimit-3p": (
        "nolimit-3p",
        4,
        [
            ["r250", "c", "r20000", "c", "f", "r600", "c", "c"],
            ["c", "r1000", "f", "c", "c", "c", "r800", "c"],
            ["c", "c", "c", "r700", "c", "r20000", "c"],
        ],
    ),
    "limit-3p": (
        "limit-3p",
        3,
        [["r", "c", "r", "c"] * 5, ["c", "c", "f", "r"] * 5, ["r", "c", "c", "c"] * 5],
    ),
    "leduc": ("leduc", 3, [["r", "c", "c", "r", "f"], ["r", "r", "c", "c", "r"]]),
    "kuhn-3p": ("kuhn-3p", 4, [["c", "c", "r"], ["r", "f", "c"], ["c", "r", "f", "c"]]),
    "rough-nolimit": (
        "nolimit-2p",
        3,
        [
            [
                "r1",
                ("", "# a comment", "; another", "nonsense", "{line}:r-5"),
                ("{line}",),
                "f",
                ("MATCHSTATE:0:77::AsKs|:f", "{line}:r700"),
                "b900",
                "r99999",
            ],
            ["x", "r", "rabc", "C", ("MATCHSTATE:1:0::|KsAs:f", "{line}:k"), "f", "r1e3", "c c"],
        ],
    ),
    "rough-limit": (
        "limit-2p",
        2,
        [
            ["r", "r", "r", "r20", "f", ("{line}:",)],
            ["r", "r", "r", ("VERSION:2.0.0", "{line}:R"), "r99", "q", ("{line}:c:c",)],
        ],
    ),
}
"""Matches that the competition's dealer was made to deal with seed 1; golden/acpc holds what it
sent, took and logged."""


@pytest.mark.parametrize("title", SCRIPTS)
def test_transcripts_are_those_of_the_competitions_dealer(title: str) -> None:
    assert transcript(*SCRIPTS[title]) == (GOLDEN / f"{title}.txt").read_text()


def test_positions_rotate_and_totals_are_kept_by_seat() -> None:
    game = PRESETS["nolimit-3p"]
    result = match(game, 6).play([Scripted(game, always("f")) for _ in range(3)])
    states = [line.split(":") for line in result.log if line.startswith("STATE")]
    assert [state[5] for state in states[:4]] == ["p0|p1|p2", "p1|p2|p0", "p2|p0|p1", "p0|p1|p2"]
    # Everybody folds to the big blind: each seat wins 50 twice and loses 50 twice.
    assert result.totals == (0.0, 0.0, 0.0)
    assert result.log[-1] == "SCORE:0|0|0:p0|p1|p2"
    assert not result.complaints


def test_the_cards_depend_on_the_seed_alone() -> None:
    game = PRESETS["nolimit-2p"]

    def cards(seed: int, action: str) -> list[str]:
        seats = [Scripted(game, always(action)) for _ in range(2)]
        log = match(game, 5, seed).play(seats).log
        return [line.split(":")[3].partition("/")[0] for line in log if line.startswith("STATE")]

    assert cards(1, "c") == cards(1, "f")
    assert cards(1, "c") != cards(2, "c")


def test_rough_answers_are_ignored_or_mended_and_noted() -> None:
    game = PRESETS["nolimit-2p"]

    def rough(line: str) -> list[str | None]:
        stale = line.replace(":0:", ":77:", 1)
        return ["", "# a comment", "nonsense", stale + ":f", line + ":r1"]

    result = match(game, 1).play([Scripted(game, rough), Scripted(game, always("c"))])
    assert "r200" in "\n".join(result.log)
    for word in ("'nonsense'", "unrequested", "raise of 1 changed to 200"):
        assert any(word in complaint for complaint in result.complaints), word
        assert word in "\n".join(result.log)


def test_a_player_who_is_gone_checks_and_folds_to_the_end() -> None:
    game = PRESETS["nolimit-2p"]
    gone = Scripted(game, lambda line: [])
    result = match(game, 4).play([gone, Scripted(game, always("r300"))])
    assert gone.closed
    assert result.hands == 4
    assert result.totals[0] < 0
    assert sum("is gone" in complaint for complaint in result.complaints) == 1


def test_a_player_who_is_always_late_is_not_waited_for_for_ever() -> None:
    game = PRESETS["limit-2p"]
    late = Scripted(game, lambda line: [None])
    result = match(game, 10).play([late, Scripted(game, always("r"))])
    assert sum("no action in" in complaint for complaint in result.complaints) == 3
    assert result.hands == 10


def test_a_state_sent_back_without_an_action_is_a_call() -> None:
    game = PRESETS["nolimit-2p"]
    result = match(game, 1).play([Scripted(game, lambda line: [line]) for _ in range(2)])
    assert result.log[-2].startswith("STATE:0:cc/cc/cc/cc:")


def test_a_player_who_only_makes_noise_is_not_listened_to_for_ever() -> None:
    game = PRESETS["nolimit-2p"]
    noisy = Scripted(game, lambda line: ["#"] * 10_000)
    result = match(game, 2).play([noisy, Scripted(game, always("c"))])
    assert noisy.closed
    assert result.hands == 2
    assert len(result.log) < 10


class Clock:
    """Time that passes only while a player thinks."""

    now = 1000.0


class Thinker(Scripted):
    """Answers after some seconds by a clock, or at the end of the time it is given."""

    clock: Clock
    seconds: float = 0.0

    def receive(self, timeout: float | None) -> str | None:
        assert timeout is not None
        self.clock.now += min(timeout, self.seconds)
        return super().receive(timeout) if self.seconds <= timeout else None


@pytest.mark.parametrize(
    ("limits", "seconds", "late", "gone"),
    [
        # A call before the flop and one on each street, 4 s each, in ten hands.
        ({"timeout": 5.0}, 4.0, 0, False),
        ({"timeout": 3.0}, 4.0, 3, True),
        # The third answer of a hand is late, and then nobody asks again in that hand.
        ({"hand_timeout": 9.0}, 4.0, 10, False),
        # Forty answers in ten hands would be 160 s.
        ({"mean_timeout": 16.5}, 4.0, 0, False),
        ({"mean_timeout": 12.1}, 4.0, 1, True),
    ],
)
def test_time_for_an_action_a_hand_and_the_match(
    limits: dict[str, float], seconds: float, late: int, gone: bool
) -> None:
    clock, game = Clock(), PRESETS["nolimit-2p"]
    slow = Thinker(game, always("c"))
    slow.clock, slow.seconds = clock, seconds
    names = ["slow", "quick"]
    table = AcpcMatch(game, 10, 1, names, clock=lambda: clock.now, **limits)  # type: ignore[arg-type]
    result = table.play([slow, Scripted(game, always("c"))])
    assert result.hands == 10
    assert sum("no action in" in complaint for complaint in result.complaints) == late
    assert slow.closed == gone


def test_impossible_matches_are_refused() -> None:
    game = PRESETS["nolimit-2p"]
    for names in (["a"], ["a", "a"], ["a", "b:c"], ["a", ""]):
        with pytest.raises(UsageError):
            AcpcMatch(game, 1, 0, names)
    with pytest.raises(UsageError):
        AcpcMatch(game, 0, 0, ["a", "b"])
    with pytest.raises(UsageError):
        AcpcMatch(game, 1, 0, ["a", "b"], timeout=0)
