"""What the bot remembers: for each state the results of each action, merged, aged, compressed.

A state is the up card and the hand, kept by what decides: the values of the cards, sorted, with two
tens of one rank ("TT") distinguished from two of different ranks ("TJ"), since only the former
may be split. Results of a state and action add up, whatever the bid and the order of the cards.

Counts are weighted by the stake, as the old bot's were: a doubled win is W2, a draw always U1.
So S and H were simulated W+U+L times, D (W+L)/2+U times, P (W+U+L)/2 times (two hands or more),
and the mean in bids is (W−L) over that. I counts the insurance alone: W when it won its two for
one, L when half a bid was lost.

The old bot labelled every block of a round with the round's first action. A later block of one
outcome with that label is read as the results of the action that was chosen there; blocks written
here are labelled rightly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.rules import LETTERS, points, value
from riverboat.blackjack.search._memory_text import (
    Memory,
    Outcome,
    RecordedRound,
    RecordedSimulation,
    RecordedTurn,
    format_memory,
    parse_memory,
)
from riverboat.blackjack.search.mcts import SearchResult
from riverboat.blackjack.search.problem import hand_number
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.games.base import Action, ParameterValue
from riverboat.runtime.array_types import F64
from riverboat.runtime.storage import atomic_write, open_regular, read_bytes
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import read_arrays, write_arrays

LIMIT = 10_000  # Characters that the old bot could keep
MAX_COUNT = 1e15
KIND = "mcts-memory"
WEIGHT = 0.2
"""How much of a simulated result counts as a visit of the search, whose values are less noisy."""
MAX_WEIGHT = 30.0  # The most visits a remembered action stands for: the shoe was another one
CLOSE = 0.05  # Decisions this much apart, in bids, count half as much as ties when memory is short


@dataclass(frozen=True)
class Counts:
    """Weighted wins, draws and losses of an action."""

    wins: float = 0.0
    draws: float = 0.0
    losses: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def times(self, factor: float) -> Counts:
        return Counts(factor * self.wins, factor * self.draws, factor * self.losses)

    def visits(self, action: str) -> float:
        """How often the action was simulated."""
        if action == "D":
            return (self.wins + self.losses) / 2 + self.draws
        return (self.wins + self.draws + self.losses) / (2 if action == "P" else 1)

    def mean(self, action: str) -> float:
        """The mean result in bids; 0 where nothing is known."""
        n = self.visits(action)
        won = self.wins - (self.losses / 2 if action == "I" else self.losses)
        return won / n if n else 0.0


@dataclass(frozen=True)
class Dropped:
    """What a compressed memory no longer holds."""

    states: int
    visits: float  # Share of all simulated visits
    probability: float  # Share of the probability of all states that were known


State = tuple[str, str]  # Up card and hand in canonical form


def state_of(up: str, hand: str) -> State:
    """The state under which a hand is remembered, e.g. ("K", "5Q") as ("T", "5T")."""
    cards = "".join(sorted((UPS[value(card) - 1] for card in hand), key=UPS.index))
    if cards == "TT" and hand[0] != hand[1]:
        cards = "TJ"
    return UPS[value(up) - 1], cards


@dataclass(repr=False)
class Knowledge(AnyStrategy):
    """State → action → counts."""

    kind: ClassVar[str] = KIND
    game: ClassVar[str] = "blackjack"
    parameters: ClassVar[Mapping[str, ParameterValue]] = {}
    table: dict[State, dict[str, Counts]] = field(default_factory=dict)
    rules: str = ""  # The table that the results come from (Table.words); "" where it is not known

    @property
    def info(self) -> dict[str, Any]:
        """Where it comes from, and how much it holds."""
        counts = (c.visits(a) for known in self.table.values() for a, c in known.items())
        return {"rules": self.rules, "visits": sum(counts)}

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """All probability on the best action at "hand|up", e.g. "88|T"; None where it is new."""
        hands, up, *_ = [*infoset.split("|"), ""]
        cards = next((h for h in hands.split() if h.startswith(">")), hands).strip(">+")
        try:
            best = self.best((up, cards) if "J" in cards else state_of(up, cards))
        except (IndexError, KeyError, ValueError, RiverboatError):
            return None
        return None if best is None else {best: 1.0}

    def entries(self) -> Iterator[Entry]:
        """Every state as "hand|up" with its best action."""
        known = ((up, hand, self.best((up, hand))) for up, hand in sorted(self.table))
        return ((0, f"{hand}|{up}", {best: 1.0}) for up, hand, best in known if best)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def title(self) -> str:
        return f"memory of {self.rules or 'a blackjack table'}"

    def check_rules(self, rules: str, source: str = "The memory") -> None:
        """Refuse a memory that is known to come from another table."""
        if self.rules and rules and self.rules != rules:
            raise UsageError(
                f"{source} comes from another table ({self.rules}) than this one"
                f" ({rules}); keep a memory for each."
            )

    def add(self, state: State, action: str, counts: Counts) -> None:
        known = self.table.setdefault(state, {})
        known[action] = known.get(action, Counts()) + counts

    def learn(self, result: SearchResult) -> None:
        """Remember a search.

        The simulated counts are stored, shifted between wins and losses so that their mean equals
        the search value; what the memory itself had added at the root is left out.
        """
        situation = result.situation
        self.check_rules(situation.table.words)
        self.rules = situation.table.words
        state = state_of(situation.up, situation.hand)
        for action, seen in result.actions.items():
            if action == "R" or not seen.visits or situation.hands > 1:
                continue
            decided = seen.wins + seen.losses
            edge = seen.searched * Counts(seen.wins, seen.draws, seen.losses).visits(action)
            wins = min(max((decided + edge) / 2, 0.0), decided)
            self.add(state, action, Counts(wins, seen.draws, decided - wins))

    def merge(self, other: Knowledge) -> None:
        other.check_rules(self.rules, "What is to be merged")
        self.rules = self.rules or other.rules
        for state, actions in other.table.items():
            for action, counts in actions.items():
                self.add(state, action, counts)

    def age(self, factor: float) -> None:
        """Let everything count less, so that what comes later weighs more."""
        for actions in self.table.values():
            for action in list(actions):
                actions[action] = actions[action].times(factor)

    def prior(self, up: str) -> F64:
        """(H, 5, 2) what the search may believe of this up card: visits and mean."""
        prior = np.zeros((len(hand_table().size), len(LETTERS), 2))
        shown = UPS[value(up) - 1]
        for (state_up, hand), actions in self.table.items():
            if state_up != shown:
                continue
            number = hand_number(hand)
            for action, counts in actions.items():
                n = counts.visits(action)
                if action in LETTERS and n > 0:
                    weight = min(WEIGHT * n, MAX_WEIGHT)
                    prior[number, LETTERS.index(action)] = weight, counts.mean(action)
        return prior

    def best(self, state: State) -> str | None:
        """The action with the best mean, if anything is known."""
        known = {a: c.mean(a) for a, c in self.table.get(state, {}).items() if c.visits(a) > 0}
        known.pop("I", None)
        return max(known, key=known.__getitem__) if known else None

    def usefulness(self, state: State) -> float:
        """Probability of the state × how well it is known × how close the decision is."""
        actions = self.table[state]
        means = sorted((c.mean(a) for a, c in actions.items() if c.visits(a) > 0), reverse=True)
        if not means:
            return 0.0
        gap = means[0] - means[1] if len(means) > 1 else 1.0
        visits = sum(counts.visits(action) for action, counts in actions.items())
        return probability(state) * float(np.log1p(visits)) / (1.0 + gap / CLOSE)

    def compressed(self, limit: int = LIMIT, *, most: int = 99) -> tuple[Knowledge, Dropped]:
        """The most useful states whose text fits into `limit` characters.

        Everything is kept where it fits. Otherwise large counts are scaled down first, to 9,999,
        999 and at last `most` visits an action, since their digits cost room; then states go.
        """
        for cap in (math.inf, 9_999, 999, most):
            short = self._scaled(cap)
            if len(short.text()) <= limit:
                return short, self._dropped(short)
        order = sorted(short.table, key=lambda s: (-self.usefulness(s), s))
        low, high = 0, len(order)
        while low < high:
            middle = (low + high + 1) // 2
            if len(short._of(order[:middle]).text()) <= limit:
                low = middle
            else:
                high = middle - 1
        kept = short._of(order[:low])
        return kept, self._dropped(kept)

    def _scaled(self, most: float) -> Knowledge:
        """Whole counts of at most `most` visits an action; what rounds to nothing is left out."""
        short = Knowledge(rules=self.rules)
        for state, actions in self.table.items():
            if kept_actions := _shortened(actions, most):
                short.table[state] = kept_actions
        return short

    def _of(self, states: Iterable[State]) -> Knowledge:
        return Knowledge({state: self.table[state] for state in states}, self.rules)

    def _dropped(self, kept: Knowledge) -> Dropped:
        def visits(states: Iterable[State]) -> float:
            return sum(c.visits(a) for s in states for a, c in self.table[s].items())

        def weight(states: Iterable[State]) -> float:
            return sum(map(probability, states))

        everything = visits(self.table)
        return Dropped(
            len(self.table) - len(kept.table),
            1 - visits(kept.table) / everything if everything else 0.0,
            1 - weight(kept.table) / weight(self.table) if self.table else 0.0,
        )

    def memory(self, bid: int = 10) -> Memory:
        """As rounds: states that continue each other by a hit share a round."""
        waiting = dict.fromkeys(sorted(self.table, key=lambda s: (s[0], len(s[1]), s[1])))
        rounds: list[RecordedRound] = []
        while waiting:
            up, hand = next(iter(waiting))
            turns = [_turn("", "H", {})] if len(hand) > 2 else []
            turns += [_turn(card, "H", {}) for card in hand[2:-1]]
            cards = (hand[0], hand[1])
            drawn: str | None = hand[2:][-1:]
            while drawn is not None:
                del waiting[up, hand]
                action = self.best((up, hand)) or "H"
                turns.append(_turn(drawn, action, self.table[up, hand]))
                longer = UPS if action == "H" else ""
                drawn = next((c for c in longer if state_of(up, hand + c) in waiting), None)
                hand = state_of(up, hand + (drawn or ""))[1]
            rounds.append(RecordedRound(bid, up, cards, tuple(turns)))
        return Memory(tuple(rounds))

    def text(self, bid: int = 10) -> str:
        """The memory in the old bot's grammar; counts are rounded."""
        return format_memory(self.memory(bid))

    @classmethod
    def from_memory(cls, memory: Memory | RecordedSimulation) -> Knowledge:
        """What a text memory knows; a simulation's rounds carry no results."""
        knowledge = cls()
        for round_ in memory.rounds:
            hand, doubled = "".join(round_.cards), False
            for index, turn in enumerate(round_.turns):
                hand += turn.card
                if doubled or points(hand)[0] > 21:
                    break
                for outcome in _repaired(round_, index):
                    if outcome.wins + outcome.draws + outcome.losses:
                        counts = Counts(outcome.wins, outcome.draws, outcome.losses)
                        knowledge.add(state_of(round_.dealer, hand), outcome.action, counts)
                # After a double nothing is left to decide: the old server wanted its Hit and Stand.
                doubled = turn.action in "DP"
        return knowledge

    @classmethod
    def from_text(cls, text: str) -> Knowledge:
        return cls.from_memory(parse_memory(text))

    def save(self, path: str | Path, limit: int = LIMIT) -> Dropped:
        """Write a memory: as text within `limit` where the name ends in .txt, else all, binary."""
        if str(path).endswith(".txt"):
            kept, dropped = self.compressed(limit)
            atomic_write(path, kept.text())
            return dropped
        states = sorted(self.table)
        rows = [(i, a, c) for i, s in enumerate(states) for a, c in sorted(self.table[s].items())]
        arrays: dict[str, NDArray[Any]] = {
            "state": np.array([i for i, _, _ in rows], np.int32),
            "action": np.array([ord(a) for _, a, _ in rows], np.uint8),
            "counts": np.array([(c.wins, c.draws, c.losses) for _, _, c in rows]).reshape(-1, 3),
        }
        header = {"states": ["|".join(s) for s in states], "rules": self.rules}
        write_arrays(path, KIND, arrays, header)
        return Dropped(0, 0.0, 0.0)

    @classmethod
    def load(cls, path: str | Path) -> Knowledge:
        """A memory of either kind."""
        text = str(path).endswith(".txt")
        if not text:
            with open_regular(path) as (stream, _):
                text = stream.read(1) in (b"", b"/", b"?")
        if text:
            try:
                return cls.from_text(read_bytes(path).strip().decode("ascii"))
            except UnicodeDecodeError as error:
                raise FileFormatError(
                    f"The memory is wrong at character {error.start + 1}: it is not plain text."
                ) from error
        arrays, header = read_arrays(path, KIND)
        try:
            states = [_stored_state(text) for text in header["states"]]
            # Files written before the header had them do not say the rules.
            knowledge = cls(rules=str(header.get("rules", "")))
            columns = (arrays[name].tolist() for name in ("state", "action", "counts"))
            for i, action, counts in zip(*columns, strict=True):
                possible = all(0 <= n < MAX_COUNT for n in counts)
                if i < 0 or chr(action) not in "HSPID" or not possible:
                    raise ValueError
                if any(counts):
                    knowledge.add(states[i], chr(action), Counts(*counts))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise FileFormatError(f"{path} is damaged: its states cannot be read.") from error
        return knowledge


def _stored_state(text: str) -> State:
    """A state as a file has it, "up|hand"; ValueError or KeyError where no shoe deals it."""
    up, hand = text.split("|")
    state = state_of(up, hand)
    if len(up) != 1 or len(hand) < 2:
        raise ValueError
    hand_number(hand)
    return state


def _shortened(actions: Mapping[str, Counts], most: float) -> dict[str, Counts]:
    """Rounded counts of at most `most` visits an action; what rounds to nothing is left out."""
    short = {}
    for action, counts in actions.items():
        n = counts.visits(action)
        scaled = counts.times(min(1.0, most / n)) if n else counts
        whole = Counts(round(scaled.wins), round(scaled.draws), round(scaled.losses))
        if whole.visits(action):
            short[action] = whole
    return short


def _turn(card: str, action: str, known: Mapping[str, Counts]) -> RecordedTurn:
    """A turn with the chosen action's results first."""
    order = sorted(known, key=lambda a: (a != action, a))
    outcomes = tuple(
        Outcome(a, *(round(n) for n in (known[a].wins, known[a].draws, known[a].losses)))
        for a in order
    )
    return RecordedTurn(card, action, outcomes or (Outcome(action),))


def _repaired(round_: RecordedRound, index: int) -> tuple[Outcome, ...]:
    """A turn's outcomes with the old bot's wrong label put right."""
    turn = round_.turns[index]
    if index == 0 or len(turn.outcomes) != 1:
        return turn.outcomes
    (only,) = turn.outcomes
    if only.action == turn.action or only.action != round_.turns[0].action:
        return turn.outcomes
    return (Outcome(turn.action, only.wins, only.draws, only.losses),)


@lru_cache(maxsize=8192)
def probability(state: State) -> float:
    """How often a state comes up with an infinite deck, if every hand is hit that can be."""
    up, hand = state
    share = {card: (4 if card == "T" else 1) / 13 for card in UPS} | {"J": 3 / 13}
    p = share[up]
    for card in hand:
        p *= share[card]
    if hand[:2] == "TT" and len(hand) == 2:
        p /= 4
    return p * (2 if hand[0] != hand[1] and hand[1] != "J" else 1)
