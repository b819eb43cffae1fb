"""Players of an ACPC match that follow a script, and a match against them."""

from collections.abc import Callable

from riverboat.holdem.acpc._messages import parse_match_state, read_state
from riverboat.holdem.acpc.dealer import AcpcMatch
from riverboat.holdem.rules.state import Holdem


class Scripted:
    """A connection to a player who answers each request by a rule, or not at all."""

    def __init__(
        self, game: Holdem, reply: Callable[[str], list[str | None]], notes: list[str] | None = None
    ) -> None:
        self.game, self.reply, self.notes = game, reply, notes
        self.inbox: list[str | None] = []
        self.closed = False

    def send(self, line: str) -> None:
        if self.notes is not None:
            self.notes.append(f"S-> {line}")
        seen = parse_match_state(line)
        if read_state(self.game, seen).actor == seen.position:
            self.inbox = list(self.reply(line))

    def receive(self, timeout: float | None) -> str | None:
        if not self.inbox:
            raise ConnectionError("script over")
        line = self.inbox.pop(0)
        if self.notes is not None and line is not None:
            self.notes.append(f"<-C {line}")
        return line

    def close(self) -> None:
        self.closed = True


def always(action: str) -> Callable[[str], list[str | None]]:
    return lambda line: [f"{line}:{action}"]


def match(game: Holdem, hands: int, seed: int = 1) -> AcpcMatch:
    return AcpcMatch(game, hands, seed, [f"p{seat}" for seat in range(game.players)])
