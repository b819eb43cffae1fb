"""A sitting at a casino's blackjack table: bets and decisions, played again after a restart."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from riverboat.blackjack.casino.sitting import OneSeat, ShoeInPlay
from riverboat.blackjack.round import LABELS
from riverboat.blackjack.rules import PRESETS, BlackjackRules
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.blackjack.table import USUAL_TABLE, rules_of_query
from riverboat.web.play.session import Kept, KeptSession, SittingStore

START = 100.0
"""The bankroll of a new sitting."""
MAX_LINES = 300


def rules_kept(parameters: Mapping[str, str]) -> BlackjackRules:
    """The rules of a sitting; what cannot be read is the usual table."""
    try:
        return rules_of_query(parameters)
    except RiverboatError:
        return PRESETS[USUAL_TABLE]


class CasinoSession(KeptSession):
    """One sitting: bets and decisions as texts, played again from the seed after a restart."""

    def __init__(self, kept: Kept, store: SittingStore) -> None:
        super().__init__(kept, store)
        self.rules = rules_kept(kept.parameters)
        shoe = ShoeInPlay(self.rules, np.random.default_rng(kept.seed))
        self.seat = OneSeat(self.rules, shoe, START)
        self.playing = False
        self.bet = 1.0
        self.lines: list[tuple[str, str]] = []
        """Kind and words of what happened, the newest last."""
        actions, kept.actions = kept.actions, []
        self._replay(actions)

    @property
    def over(self) -> bool:
        """Whether the table waits for a bet."""
        return not self.playing or self.seat.over

    def _do(self, action: str) -> None:
        what, _, amount = action.partition(":")
        if what == "bet":
            if not self.over:
                raise UsageError("The round is not over.")
            try:
                bet = float(amount)
            except ValueError:
                raise UsageError(f"A bet is a number, not {amount[:20]!r}.") from None
            if not 0 < bet < math.inf:
                raise UsageError("A bet is more than 0.")
            if self.seat.begin(bet):
                self.lines.append(("hand", "The shoe is shuffled."))
            self.bet, self.playing = bet, True
            number = self.seat.rounds + (not self.seat.over)
            self.lines.append(("hand", f"Round {number}, bet {bet:g}"))
        elif self.over:
            raise UsageError("Bet first.")
        else:
            values = self.seat.values(self.seat.table)
            cost = self.seat.act(what)
            self.lines.append(("move", f"you {LABELS[what]}"))
            if cost:
                best = LABELS[next(iter(values))]
                self.lines.append(("cost", f"{best} is worth {cost:.4f} more"))
        if self.seat.over:
            result = self.seat.table.payoffs()[0]
            words = f"you {'win' if result > 0 else 'lose'} {abs(result):g}" if result else "push"
            self.lines.append(("end", words))
        del self.lines[:-MAX_LINES]
