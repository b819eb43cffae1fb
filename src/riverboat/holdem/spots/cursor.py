"""A cursor that walks a solved spot and reads it: strategy, EV, equity and reach, hand by hand.

    >>> at = solved.at("r:0:c:b100")        # doctest: +SKIP
    >>> at.actions                          # ['fold', 'call', 'raise to 300']   # doctest: +SKIP
    >>> at.play("call").deal("Ah").back()   # doctest: +SKIP

Node ids are those of PioSOLVER's UPI: `r:0` is the root, `c` a check or call, `f` a fold, `b100`
a bet or raise with all the chips that its player has put in since the spot began, and a card
where one was dealt. A cursor never changes: each step gives another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from riverboat.cards.card import card_text, parse_card
from riverboat.cards.combos import COMBO_CARDS, combo_text, parse_combo
from riverboat.cards.equity import range_equities
from riverboat.cards.ranges import Range
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.holdem.spots._boards import BoardClasses, meeting_weights
from riverboat.holdem.spots.locks import CARD, words_of
from riverboat.holdem.spots.spot_toml import PLAYERS
from riverboat.holdem.spots.tree import BetAction, NodeKind, TreeNode
from riverboat.runtime.array_types import F64, I64
from riverboat.runtime.tables import data_frame

if TYPE_CHECKING:
    from riverboat.holdem.spots.solved import SolvedSpot


@dataclass(frozen=True)
class HandFigures:
    """One hand of a player at a node."""

    hand: str
    weight: float
    """Weight with which it reaches the node: that of the range times its strategy on the way."""
    strategy: dict[str, float] | None  # Action → probability where this player acts, else None
    action_evs: dict[str, float] | None  # Action → EV of taking it and playing on as before
    ev: float
    """Chips won from here on; what was put in before does not count. With payouts the prize."""
    equity: float  # Share of the pot if all cards were dealt now and there were no more bets
    realisation: float  # EV / (equity · pot): what betting makes of the equity


@dataclass(frozen=True)
class RangeFigures:
    """A whole range at a node: means over hands, weighted by how often each is met here."""

    weight: float
    strategy: dict[str, float] | None
    ev: float
    equity: float
    realisation: float


@dataclass(frozen=True, eq=False)
class SpotCursor:
    """A point of a solved spot: the betting so far and the cards dealt."""

    solved: SolvedSpot
    node: TreeNode
    dealt: tuple[int, ...]  # Cards dealt since the spot began
    reach: tuple[F64, ...]  # (1326,) weights with which each player's hands reach the node
    path: tuple[str, ...] = ("r", "0")
    before: Self | None = None
    offset: float = 0.0
    """Chips each had put in before `solved` began, where a street was solved anew."""

    @classmethod
    def start(cls, solved: SolvedSpot) -> SpotCursor:
        """A cursor at the root."""
        reach = np.zeros((2, 1326))
        for player in (0, 1):
            reach[player, solved.spot.hands(player)] = solved.spot.weights(player)
        return cls(solved, solved.tree.nodes[0], (), (reach[0], reach[1]))

    @property
    def node_id(self) -> str:
        return ":".join(self.path)

    @property
    def board(self) -> tuple[int, ...]:
        return (*self.solved.spot.board, *self.dealt)

    @property
    def kind(self) -> NodeKind:
        return self.node.kind

    @property
    def player(self) -> int:
        """Who acts, in the order of `names`; −1 where no player does."""
        return self.node.player if self.kind == NodeKind.DECISION else -1

    @property
    def actions(self) -> list[str]:
        """The actions in words: "check", "bet 33", …"""
        return [action.words for action in self.node.actions]

    @property
    def bet_actions(self) -> tuple[BetAction, ...]:
        return self.node.actions

    @property
    def pot(self) -> float:
        """What lies in the middle."""
        return self.solved.tree.pot(self.node)

    @property
    def names(self) -> tuple[str, ...]:
        """The players: "oop" and "ip", or those of a spot for three."""
        return PLAYERS

    @property
    def stacks(self) -> tuple[float, ...]:
        """What each player has behind."""
        stack = self.solved.spot.stack
        return stack - self.node.put[0], stack - self.node.put[1]

    def shared_pots(self) -> list[tuple[float, tuple[str, ...]]]:
        """Of three players, each pot with the names of those who contend for it; else none."""
        return []

    def payout(self, combos: Sequence[int]) -> list[float]:
        """What each player takes at the end of a hand in which they hold these combos."""
        from riverboat.cards.strength import board_strengths

        put, spot = self.node.put, self.solved.spot
        pot = spot.pot + 2 * min(put)
        if self.kind == NodeKind.FOLD:
            shares = [float(self.node.player != player) for player in (0, 1)]
        else:
            ranks = board_strengths(list(self.board))[list(combos)].tolist()
            shares = [(rank == max(ranks)) / ranks.count(max(ranks)) for rank in ranks]
        left = pot - spot.rake(pot)
        return [share * left + own - min(put) for share, own in zip(shares, put, strict=True)]

    def go(self, node_id: str) -> Self:
        """The cursor at a node id, from the root on."""
        at = self.root
        for word in words_of(node_id):
            at = at.deal(word) if CARD.fullmatch(word) else at.play(word)
        return at

    def along(self, line: str) -> Self:
        """The cursor after the actions of a line such as "X-B33-R116"."""
        at = self
        for word in filter(None, line.split("-")):
            at = at.play(word)
        return at

    @property
    def root(self) -> Self:
        at = self
        while at.before is not None:
            at = at.before
        return at

    def back(self) -> Self:
        """One step back; at the root, the root."""
        return self.before or self

    def play(self, action: str) -> Self:
        """After an action, named as "check", "bet 33", "B33", "b33" or, if there is one, "bet"."""
        if self.kind != NodeKind.DECISION:
            raise IllegalActionError(
                "A card is to be dealt here." if self.kind == NodeKind.CHANCE
                else "The hand is over here."
            )  # fmt: skip
        word = self._local(action)
        child = self.solved.tree.child(self.node, word)
        which = self.node.children.index(child.index)
        taken = self.node.actions[which]
        reach = list(self.reach)
        mine = reach[self.node.player].copy()
        mine[self.combos(self.node.player)] *= self.strategies[which]
        reach[self.node.player] = mine
        code = taken.code
        if code.startswith("b"):
            code = f"b{taken.total + self.offset:.10g}"
        path = (*self.path, code)
        return replace(self, node=child, reach=tuple(reach), path=path, before=self)

    def _local(self, action: str) -> str:
        """A code with all chips since the first street, as the tree at hand writes it."""
        found = re.fullmatch(r"b(\d+(?:\.\d+)?)", action.strip())
        return f"b{float(found[1]) - self.offset:.10g}" if found and self.offset else action

    @property
    def cards_to_come(self) -> list[str]:
        """The cards that may be dealt here."""
        if self.kind != NodeKind.CHANCE:
            return []
        gone = {*self.board, *self.solved.spot.dead}
        return [card_text(card) for card in range(52) if card not in gone]

    def deal(self, card: str) -> Self:
        """After a card is dealt."""
        after = self._dealt(card)
        child, solved = after.node, self.solved
        street = child.street - solved.spot.street
        if street >= solved.streets_kept and child.kind == NodeKind.DECISION:
            part = solved.resolve_street(child, after.board, after.reach)
            root, offset = part.tree.nodes[0], self.offset + child.put[0]
            return replace(after, solved=part, node=root, dealt=(), offset=offset)
        return after

    def _dealt(self, card: str) -> Self:
        number = parse_card(card)
        if self.kind != NodeKind.CHANCE:
            raise IllegalActionError(f"No card is dealt here, so not {card}.")
        if number in self.board:
            raise IllegalActionError(f"{card_text(number)} lies on the board already.")
        if number in self.solved.spot.dead:
            raise IllegalActionError(f"{card_text(number)} is a dead card: it cannot come.")
        child = self.solved.tree.nodes[self.node.children[0]]
        gone = np.isin(COMBO_CARDS, [number]).any(axis=1)
        reach = tuple(np.where(gone, 0.0, each) for each in self.reach)
        path, dealt = (*self.path, card_text(number)), (*self.dealt, number)
        return replace(self, node=child, dealt=dealt, reach=reach, path=path, before=self)

    def combos(self, player: int) -> I64:
        """(H,) the numbers of a player's hands, in the order of all arrays here."""
        return self.solved.geometry.runouts.unranked[player].combos

    @property
    def _boards(self) -> BoardClasses:
        return self.solved.geometry.runouts

    @cached_property
    def _place(self) -> tuple[int, tuple[I64, ...]]:
        """The board in the geometry, and each player's hands' places on it."""
        board, renamed = self._boards.find(self.dealt)
        places = []
        for player in range(len(self.names)):
            combos = self.combos(player)
            index = np.full(1326, -1, np.int64)
            index[combos] = np.arange(len(combos))
            low, high = np.sort(renamed[COMBO_CARDS[combos].astype(np.int64)], axis=1).T
            places.append(index[low * (101 - low) // 2 + high - 1])
        return board, tuple(places)

    @cached_property
    def strategies(self) -> F64:
        """(actions, H) of the player who acts, hands in the order of `hands`."""
        board, places = self._place
        found = self.solved.strategy(self.node, board)
        return np.asarray(found[:, places[self.node.player]])

    def hands(self, player: int) -> list[str]:
        """The texts of a player's hands, in the order of all arrays here."""
        return [combo_text(int(combo)) for combo in self.combos(player)]

    def weights(self, player: int) -> F64:
        """(H,) the weight with which each hand reaches the node."""
        return np.asarray(self.reach[player][self.combos(player)])

    def meetings(self, player: int) -> F64:
        """(H,) the weight of the opponent's hands that each hand meets here."""
        combos = self.combos(player)
        met = meeting_weights(self.reach[1 - player], combos)
        blocked = np.isin(COMBO_CARDS[combos], self.board).any(axis=1)
        return np.where(blocked, 0.0, np.maximum(met, 0.0))

    def evs(self, player: int) -> F64:
        """(H,) chips each hand wins from here on; NaN where it meets no hand."""
        return self._evs_of(self.node, player)

    def action_evs(self) -> F64:
        """(actions, H) for the player who acts: the EV of each action."""
        player, rows = self.node.player, []
        for action, child in zip(self.node.actions, self.node.children, strict=True):
            paid = 0.0 if action.letter in "FX" else action.total - self.node.put[player]
            if self.solved.spot.payouts is not None:
                paid = 0.0  # Prizes are counted whole, chips from the node on
            rows.append(self._evs_of(self.solved.tree.nodes[child], player) - paid)
        return np.stack(rows)

    def _evs_of(self, node: TreeNode, player: int) -> F64:
        solved, (board, places) = self.solved, self._place
        street = self.node.street - solved.spot.street
        nodes = solved.street_nodes(street)
        values = solved.node_values(street, board, player)
        row = values[nodes.index(node.index)].astype(np.float64)[places[player]]
        mass = self.meetings(player)
        safe = mass > 1e-12
        ev = row / np.where(safe, mass, 1.0) + solved.spot.center(player)
        if solved.spot.payouts is None:
            ev = ev + node.put[player]
        return np.where(safe, ev, np.nan)

    @cached_property
    def _equities(self) -> dict[int, F64]:
        return {}

    def equities(self, player: int) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now; NaN where undefined."""
        if player not in self._equities:
            mine = np.zeros(1326)
            mine[self.combos(player)] = 1.0
            theirs = np.clip(self.reach[1 - player], 0.0, 1.0)
            both, board = (Range(mine), Range(theirs)), list(self.board)
            shares = range_equities(*both, board, dead=self.solved.spot.dead).equities[0]
            self._equities[player] = shares[self.combos(player)]
        return self._equities[player]

    def figures(self, hand: str, player: int | None = None) -> HandFigures:
        """All figures of one hand, by default of the player who acts."""
        who = self.acting(player)
        combo = parse_combo(hand)
        places = np.flatnonzero(self.combos(who) == combo)
        if not len(places):
            raise ParameterError(f"{hand} is not in the range of {self.names[who].upper()}.")
        return self._figures(who, int(places[0]))

    def table(self, player: int | None = None) -> dict[str, HandFigures]:
        """The figures of every hand that reaches the node."""
        who = self.acting(player)
        live = np.flatnonzero((self.weights(who) > 0) & (self.meetings(who) > 0))
        hands = self.hands(who)
        return {hands[i]: self._figures(who, int(i)) for i in live}

    def to_frame(self, player: int | None = None, *, library: str | None = None) -> Any:
        """A data frame with a row for each hand of `table`: figures, and what each action gets."""
        rows = []
        for each in self.table(player).values():
            row: dict[str, Any] = {"hand": each.hand, "weight": each.weight}
            row |= {"equity": each.equity, "ev": each.ev, **(each.strategy or {})}
            rows.append(row | {f"ev {name}": ev for name, ev in (each.action_evs or {}).items()})
        names = rows[0] if rows else ("hand", "weight", "equity", "ev")
        return data_frame({name: [row[name] for row in rows] for name in names}, library)

    def acting(self, player: int | None = None) -> int:
        """The player given, else the one who acts, else the first."""
        if player is not None:
            return player
        return self.player if self.player >= 0 else 0

    @cached_property
    def _arrays(self) -> dict[int, tuple[F64, F64, F64, F64 | None]]:
        return {}

    def _arrays_of(self, player: int) -> tuple[F64, F64, F64, F64 | None]:
        """A player's weights, EVs and equities, and the EVs of their actions where they act."""
        if player not in self._arrays:
            self._arrays[player] = (
                self.weights(player),
                self.evs(player),
                self.equities(player),
                self.action_evs() if player == self.player else None,
            )
        return self._arrays[player]

    def _figures(self, who: int, i: int) -> HandFigures:
        weights, evs, equities, by_action = self._arrays_of(who)
        strategy = action_evs = None
        if by_action is not None:
            strategy = dict(zip(self.actions, self.strategies[:, i].tolist(), strict=True))
            action_evs = dict(zip(self.actions, by_action[:, i].tolist(), strict=True))
        ev, equity = float(evs[i]), float(equities[i])
        return HandFigures(
            combo_text(int(self.combos(who)[i])), float(weights[i]), strategy, action_evs, ev,
            equity, self._realisation(ev, equity),
        )  # fmt: skip

    def summary(self, player: int | None = None) -> RangeFigures:
        """The range as a whole."""
        who = self.acting(player)
        weights, evs, equities, _ = self._arrays_of(who)
        strategy = self.mean_strategy() if who == self.player else None
        shares = weights * self.meetings(who)
        total = float(shares.sum())
        if total <= 0:
            nan = float("nan")
            return RangeFigures(float(weights.sum()), strategy, nan, nan, nan)
        live = shares > 0
        ev = float(shares[live] @ evs[live]) / total
        equity = float(shares[live] @ equities[live]) / total
        return RangeFigures(
            float(weights.sum()), strategy, ev, equity, self._realisation(ev, equity)
        )

    def mean_strategy(self) -> dict[str, float]:
        """How often the player who acts takes each action, over all hands."""
        shares = self.weights(self.player) * self.meetings(self.player)
        total = float(shares.sum())
        if total > 0:
            live = shares > 0
            means = self.strategies[:, live] @ shares[live] / total
        else:
            # No hand reaches the node; what would be played is still known, hand by hand.
            means = self.strategies.mean(axis=1)
        return dict(zip(self.actions, means.tolist(), strict=True))

    def _realisation(self, ev: float, equity: float) -> float:
        """EV / (equity · pot); there is none where EV is prizes."""
        chips = equity * self.pot
        return ev / chips if chips > 0 and self.solved.spot.payouts is None else float("nan")
