"""Blackjack for Gymnasium: `riverboat/Blackjack-v0`, one table or thousands in step.

    env = gymnasium.make("riverboat/Blackjack-v0", rules="vegas-6d-h17", das=False, observe="count")
    many = gymnasium.make_vec("riverboat/Blackjack-v0", num_envs=4096)

An episode is a round; its reward is what the seat won, in bets. Actions are 0 stand, 1 hit,
2 double, 3 split, 4 surrender, 5 insure, 6 no insurance; `info["action_mask"]` says which are open.
One that is not open is taken as standing; with illegal="raise" it is an error.

| place | observation |
|---|---|
| 0, 1 | the hand's total, and 1 where an ace counts 11 |
| 2 | the dealer's up card, 1 for an ace |
| 3 | 1 where the hand may be split |
| 4 | how many hands the seat has |
| 5 | cards in the hand: 2, or 3 for three and more (all where a Charlie counts) |
| 6 | 0: play the hand; 1: answer before the dealer looks; 2: the deal has decided, only stand |
| 7 | with observe="count": the true count of the cards seen |
| 7–16 | with observe="shoe": the share of each card, A 2 … 9 T, that is still to come |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.rules import ACTIONS, RANKS, BlackjackRules, points, rules_from, value
from riverboat.blackjack.simulation.automaton import (
    DEALER_DONE,
    DealerRows,
    PlayerStates,
    by_rank,
    count_table,
)
from riverboat.blackjack.simulation.counting import SYSTEMS, CountingSystem
from riverboat.errors import IllegalActionError, ParameterError, UnknownNameError
from riverboat.interop._gymnasium_blackjack_kernels import (
    DEALT,
    HANDS,
    NONE,
    PLAY,
    STAGE,
    START,
    Seats,
    Tables,
    first_closed,
    observe,
    reset_tables,
    step_tables,
)
from riverboat.interop._gymnasium_frame import ManyTablesEnv, OneTableEnv, check_number
from riverboat.interop._libraries import library
from riverboat.runtime.compiled import stream

library("gymnasium", "Gymnasium")
from gymnasium import spaces  # noqa: E402

LETTERS = "SHDPRIN"  # Actions by number: stand, hit, double, split, surrender, insure, no
_PLAYED = 5  # The first of them are decisions on a hand
OBSERVED = ("hand", "count", "shoe")
_HIGHEST = (21, 1, 10, 1, 32, 21, 2)
COUNTS = 60.0  # Largest true count that is observed


def cut_card(rules: BlackjackRules, penetration: float) -> int:
    """The card after which a shoe is shuffled before a round; 1: before every round."""
    if not 0 <= penetration <= 0.95:
        raise ParameterError(
            f"penetration is 0 (shuffled for every round) to 0.95, not {penetration}."
        )
    if rules.decks == "infinite":
        return 1
    return max(1, round(penetration * 52 * rules.decks))


@lru_cache(maxsize=16)
def blackjack_tables(rules: BlackjackRules, cut: int, system: CountingSystem) -> Tables:
    """The tables for rules, a cut card and a counting system."""
    dealer = DealerRows(rules)
    player = PlayerStates(rules, dealer)
    states = len(player.states)
    codes = np.full((states, len(UPS), _PLAYED), NONE, np.uint16)
    forced = np.full((states, len(UPS)), NONE, np.uint16)
    facts = np.zeros((states, 4), np.float32)
    for i, state in enumerate(player.states):
        cards = state.hand.cards
        total, soft = points(cards)
        for up, letters in enumerate(player.codes[i]):
            for letter, code in letters.items():
                codes[i, up, LETTERS.index(letter)] = code
            if len(letters) == 1:
                forced[i, up] = next(iter(letters.values()))
        pair = "P" in player.codes[i][1]
        size = len(cards) if rules.charlie else min(len(cards), 3)
        facts[i] = total, soft, pair, size
    pay = np.zeros((len(player.classes), 16), np.int64)
    for i, (*results, contests) in enumerate(player.classes):
        pay[i, : len(results)] = results
        pay[i, 15] = contests
    peek = rules.hole_card == "peek"
    early = rules.surrender == "early" and peek
    natural, unplayed = int(DEALER_DONE) + dealer.final("AT"), dealer.final("T7")
    numbers = (peek, rules.insurance, natural, unplayed, cut, rules.decks != "infinite")
    asked = np.array([early and value(up) in (1, 10) for up in UPS], np.uint8)
    return Tables(
        player.nexts,
        codes.ravel(),
        _menus(codes, asked, rules.insurance).ravel(),
        forced.ravel(),
        facts.ravel(),
        dealer.table,
        pay.ravel(),
        by_rank(player, count_table(rules, None))[2:].astype(np.int64).ravel(),
        asked,
        np.array(numbers, np.int64),
        np.array(system.tags, np.float64),
    )


def _menus(
    codes: NDArray[np.uint16], early: NDArray[np.uint8], insurance: bool
) -> NDArray[np.int8]:
    """(S + 3, 10, 7) Tables.menus."""
    states = len(codes)
    menus = np.zeros((states + 3, len(UPS), len(LETTERS)), np.int8)
    menus[:states, :, :_PLAYED] = codes != NONE
    surrender = LETTERS.index("R")
    menus[:states, :, surrender] &= early == 0
    before, natural, over = menus[states:]
    before[:, surrender] = early
    for menu in (before, natural):
        menu[0, LETTERS.index("I")] = insurance
        menu[:, LETTERS.index("N")] = 1
    over[:, LETTERS.index("S")] = 1
    return menus


Policy: TypeAlias = Callable[[NDArray[np.float32], NDArray[np.int8]], int]
"""(observation, action_mask) → action."""


class BlackjackTables:
    """Tables with one seat each, whatever steps them."""

    def __init__(
        self,
        num_tables: int,
        rules: str | BlackjackRules,
        observed: str,
        penetration: float,
        system: str,
        illegal: str,
        changes: dict[str, Any],
    ) -> None:
        if illegal not in ("stand", "raise"):
            raise ParameterError(f"illegal is 'stand' or 'raise', not {illegal!r}.")
        num_tables, self.strict = check_number(num_tables), illegal == "raise"
        if isinstance(rules, BlackjackRules):
            if changes:
                raise ParameterError("Give a rule set's name to change its options.")
            self.rules = rules
        else:
            self.rules = rules_from(rules, changes)
        if observed not in OBSERVED:
            raise ParameterError(f"observe is one of {', '.join(OBSERVED)}, not {observed!r}.")
        if self.rules.decks == "infinite" and observed != "hand":
            raise ParameterError("decks=infinite has nothing to count; take observe='hand'.")
        if system not in SYSTEMS:
            raise UnknownNameError.among("counting system", system, SYSTEMS)
        cut = cut_card(self.rules, penetration)
        self.kind = OBSERVED.index(observed)
        self.tables = blackjack_tables(self.rules, cut, SYSTEMS[system])
        size = 13 if self.rules.decks == "infinite" else 52 * self.rules.decks
        fresh = np.tile(np.arange(len(RANKS), dtype=np.uint8), size // len(RANKS))
        self.seats = Seats(
            np.tile(fresh, (num_tables, 1)),
            np.zeros((num_tables, 13), np.int64),
            np.zeros((num_tables, len(self.tables.pay) // 16), np.uint8),
            np.zeros((num_tables, 10), np.int16),
            np.zeros(num_tables, np.uint64),
        )
        more: list[tuple[float, float]] = [[], [(-COUNTS, COUNTS)], [(0.0, 1.0)] * 10][self.kind]
        low, high = np.array([*((0.0, most) for most in _HIGHEST), *more], np.float32).T
        self.space = spaces.Box(low, high)
        self.observations = np.zeros((num_tables, len(low)), np.float32)
        self.masks = np.zeros((num_tables, len(LETTERS)), np.int8)
        self.rewards, self.ended = np.zeros(num_tables), np.zeros(num_tables, np.bool_)

    def shuffle(self, seed: int) -> None:
        """Begin anew with shuffled shoes; the same seed gives the same rounds."""
        fresh = np.sort(self.seats.cards[0])
        self.seats.cards[:] = fresh
        self.seats.at[:] = 0
        self.seats.seen[:] = 0
        for t in range(len(self.seats.words)):
            self.seats.words[t] = stream(seed, t)

    def deal(self) -> None:
        """Begin a round at every table."""
        reset_tables(self.tables, self.seats, np.ones(len(self.ended), np.bool_))
        self.ended[:] = False
        self.write_observations()

    def step(self, actions: NDArray[np.int64], *, again: bool) -> None:
        """One action at every table; with `again` the next round follows one that ended."""
        if actions.shape != self.ended.shape:
            raise ParameterError(f"{len(self.ended)} actions are wanted, not {actions.shape}.")
        wrong = first_closed(self.tables, self.seats, actions)
        if wrong >= 0 and (self.strict or not 0 <= actions.min() <= actions.max() < len(LETTERS)):
            legal = np.flatnonzero(self.masks[wrong]).tolist()
            raise IllegalActionError(
                f"Blackjack: action {int(actions[wrong])} at table {wrong} where only {legal} are"
                " possible."
            )
        step_tables(self.tables, self.seats, actions, self.rewards, self.ended, again)
        self.write_observations()

    def write_observations(self) -> None:
        """Write what the seats see."""
        observe(self.tables, self.seats, self.kind, self.observations, self.masks)
        if self.kind == 1:
            np.clip(self.observations[:, 7], -COUNTS, COUNTS, out=self.observations[:, 7])

    @cached_property
    def best(self) -> Analysis:
        """The exact analysis of a round from a fresh shoe."""
        return analyse(self.rules)

    @property
    def best_ev(self) -> float:
        """The exact value of the best play with a fresh shoe."""
        return self.best.ev

    def action_values(self) -> dict[int, float]:
        """Action → exact value for the only hand of the first table; empty after a split."""
        at = self.seats.at[0]
        if at[STAGE] != PLAY or at[HANDS] > 1:
            return {}
        dealt = [RANKS[rank] for rank in self.seats.cards[0, at[START] : at[DEALT]]]
        hand = dealt[0] + dealt[2] + "".join(dealt[3 + (self.rules.hole_card == "peek") :])
        values = self.best.action_values(hand, dealt[1])
        names = {name: LETTERS.index(letter) for letter, name in ACTIONS.items()}
        return {names[name]: value for name, value in values.items() if self.masks[0, names[name]]}

    def policy_ev(self, policy: Policy) -> float:
        """The exact expected result of a round from a fresh shoe when `policy` plays it.

        Insurance is never taken. The policy is asked about each hand as the first of its seat, so
        what it does must not depend on the number of hands; the count it observes is that of a
        fresh shoe less the hand and the up card.
        """
        return analyse(self.rules, strategy=_AsStrategy(self, policy)).ev

    def observation_of(self, hand: tuple[int, ...], up: int, allowed: str) -> NDArray[np.float32]:
        """What the seat sees with a hand of ten counts against up card 0…9."""
        hard = sum((i + 1) * n for i, n in enumerate(hand))
        soft = hand[0] > 0 and hard <= 11
        cards = sum(hand) if self.rules.charlie else min(sum(hand), 3)
        row = np.zeros(self.observations.shape[1], np.float32)
        row[:7] = hard + 10 * soft, soft, up + 1, "P" in allowed, 1, cards, 0
        if self.kind:
            seen = np.array(hand, np.float64)
            seen[up] += 1
            size = self.seats.cards.shape[1]
            if self.kind == 1:
                row[7] = 52 * float(seen @ self.tables.tags) / (size - seen.sum())
            else:
                copies = size / 13 * np.array([1.0] * 9 + [4.0])
                row[7:] = (copies - seen) / copies
        return row


class _AsStrategy:
    """A policy of observations as the exact analysis asks for it."""

    def __init__(self, tables: BlackjackTables, policy: Policy) -> None:
        self.tables, self.policy = tables, policy

    def choose(self, hand: tuple[int, ...], up: int, allowed: str) -> str:
        mask = np.array([letter in allowed for letter in LETTERS], np.int8)
        action = int(self.policy(self.tables.observation_of(hand, up, allowed), mask))
        if not (0 <= action < len(LETTERS) and mask[action]):
            raise IllegalActionError(
                f"Blackjack: the policy chose action {action} where only"
                f" {np.flatnonzero(mask).tolist()} are possible."
            )
        return LETTERS[action]


class BlackjackEnv(OneTableEnv):
    """One table; see above."""

    over = "Blackjack: the round is over; call reset()."
    play: BlackjackTables

    def __init__(
        self,
        rules: str | BlackjackRules = "vegas-6d-s17",
        *,
        observe: str = "hand",
        penetration: float = 0.0,
        system: str = "hilo",
        illegal: str = "stand",
        values: bool = False,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        """`penetration` is the share of the shoe that is dealt before a shuffle; 0: every round.

        With `values` (fresh shoes only) `info["values"]` holds the exact value of each action of
        the first hand of a seat, and at the end `info["regret"]` what the round's decisions cost
        against the best ones. `changes` are options of the rules, h17=True.
        """
        play = BlackjackTables(1, rules, observe, penetration, system, illegal, changes)
        super().__init__(play, render_mode)
        if values and (penetration or play.rules.decks == "infinite"):
            raise ParameterError("values are those of a fresh, finite shoe of 1 to 8 decks.")
        self.values = values
        self.action_values: dict[int, float] = {}
        self.regret = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal a new round; its regret begins at 0."""
        self.regret = 0.0
        return super().reset(seed=seed, options=options)

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play one action; with `values` what it costs against the best one is added up."""
        action_values = self.action_values
        cost = (
            max(action_values.values()) - action_values.get(int(action), action_values[0])
            if action_values
            else 0.0
        )
        self.regret += cost
        try:
            return super().step(action)
        except IllegalActionError:
            self.regret -= cost
            raise

    def _info(self) -> dict[str, Any]:
        info = super()._info()
        if self.values:
            self.action_values = {} if self.play.ended[0] else self.play.action_values()
            info["values"], info["regret"] = self.action_values, self.regret
        return info

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask as stable-baselines3's MaskablePPO asks for it."""
        mask: NDArray[np.bool_] = self.play.masks[0] != 0
        return mask


class BlackjackVectorEnv(ManyTablesEnv):
    """Many tables in step."""

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | BlackjackRules = "vegas-6d-s17",
        *,
        observe: str = "hand",
        penetration: float = 0.0,
        system: str = "hilo",
        illegal: str = "stand",
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        play = BlackjackTables(num_envs, rules, observe, penetration, system, illegal, changes)
        super().__init__(num_envs, play, render_mode)
