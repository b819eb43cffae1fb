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
from riverboat.cards.hands import hand_cards, hand_number, hand_text, num_hands, parse_hand
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.holdem.spots._meetings import meetings_with, meets_some
from riverboat.holdem.spots._side_pots import SidePot, raked_pots, side_pots
from riverboat.holdem.spots.locks import CARD, words_of
from riverboat.holdem.spots.tree import BetAction, NodeKind, TreeNode
from riverboat.runtime.array_types import F64, I64, U8
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
    """A point of a solved spot: the betting so far and the cards dealt.

    EVs of three players come from sums of 32-bit numbers, of which the pairs of hands that share
    cards are taken off. Where a line is played less than once in ten million hands, what is left
    may be as small as the rounding: EVs are off there by some tenths of a per cent of the pot, and
    by several per cent in the worst case seen. The three means of `summary`, which add up to the
    pot without rake, show how far.
    """

    solved: SolvedSpot
    node: TreeNode
    dealt: tuple[int, ...]  # Cards dealt since the spot began
    reach: tuple[F64, ...]  # (N,) weights, by the hand's number, with which each player reaches it
    path: tuple[str, ...] = ("r", "0")
    before: Self | None = None
    offset: float = 0.0
    """Chips each had put in before `solved` began, where a street was solved anew."""

    @classmethod
    def start(cls, solved: SolvedSpot) -> SpotCursor:
        """A cursor at the root."""
        reach = np.zeros((solved.spot.num_players, num_hands(solved.spot.hole_cards)))
        for player, own in enumerate(reach):
            own[solved.spot.hands(player)] = solved.spot.weights(player)
        return cls(solved, solved.tree.nodes[0], (), tuple(reach))

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
        return self.solved.spot.names

    @property
    def stacks(self) -> tuple[float, ...]:
        """What each player has behind."""
        pairs = zip(self.solved.spot.stacks, self.node.put, strict=True)
        return tuple(stack - put for stack, put in pairs)

    @property
    def pots(self) -> list[SidePot]:
        """The main pot and side pots as they stand, before rake."""
        return side_pots(self.solved.spot, self.node.put, self.node.folded)[0]

    def shared_pots(self) -> list[tuple[float, tuple[str, ...]]]:
        """Of three players, each pot before rake with the names of its contenders; else none."""
        if len(self.names) == 2:
            return []
        return [(pot.chips, tuple(self.names[s] for s in pot.contenders)) for pot in self.pots]

    def payout(self, combos: Sequence[int]) -> list[float]:
        """What each player takes at the end of a hand in which they hold hands of these numbers."""
        pots, taken = raked_pots(self.solved.spot, self.node.put, self.node.folded)
        ranks = [0] * len(self.names)
        if len(self.board) == 5:
            ranks = self._strengths(combos)
        for pot in pots:
            best = max(ranks[player] for player in pot.contenders)
            winners = [player for player in pot.contenders if ranks[player] == best]
            for player in winners:
                taken[player] += pot.chips / len(winners)
        return taken

    def _strengths(self, combos: Sequence[int]) -> list[int]:
        """The strengths of hands of these numbers on a board of five cards."""
        if self.solved.spot.game == "omaha":
            from riverboat.cards.omaha import omaha_strengths

            held = hand_cards(self.solved.spot.hole_cards)[list(combos)]
            return [int(rank) for rank in omaha_strengths(held, [self.board])]
        from riverboat.cards.strength import board_strengths

        return [int(rank) for rank in board_strengths(list(self.board))[list(combos)]]

    def go(self, node_id: str) -> Self:
        """The cursor at a node id, from the root on."""
        at = self.root
        for word in words_of(node_id):
            at = at.step(word)
        return at

    def step(self, word: str) -> Self:
        """After one word of a node id: an action, or a card that is dealt."""
        return self.deal(word) if CARD.fullmatch(word) else self.play(word)

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
        match = re.fullmatch(r"b(\d+(?:\.\d+)?)", action.strip())
        return f"b{float(match[1]) - self.offset:.10g}" if match and self.offset else action

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
        gone = (hand_cards(self.solved.spot.hole_cards) == number).any(axis=1)
        reach = tuple(np.where(gone, 0.0, weights) for weights in self.reach)
        path, dealt = (*self.path, card_text(number)), (*self.dealt, number)
        return replace(self, node=child, dealt=dealt, reach=reach, path=path, before=self)

    def combos(self, player: int) -> I64:
        """(H,) the numbers of a player's hands, in the order of all arrays here."""
        return self.solved.layout.combos[player]

    @cached_property
    def _on_board(self) -> tuple[tuple[int, ...], tuple[I64, ...]]:
        """The layout's boards on the way here, and where each player's hands are on the last."""
        return self.solved.layout.on_board(self.dealt)

    @cached_property
    def strategies(self) -> F64:
        """(actions, H) of the player who acts, hands in the order of `hands`."""
        path, indices = self._on_board
        strategy = self.solved.strategy(self.node, path[-1])
        return np.asarray(strategy[:, indices[self.node.player]])

    def hole_cards(self, player: int) -> U8:
        """(H, k) the cards of a player's hands."""
        return np.ascontiguousarray(hand_cards(self.solved.spot.hole_cards)[self.combos(player)])

    @cached_property
    def _hand_texts(self) -> tuple[list[str], ...]:
        players = range(len(self.names))
        return tuple([hand_text(own) for own in self.hole_cards(p).tolist()] for p in players)

    def hands(self, player: int) -> list[str]:
        """The texts of a player's hands, in the order of all arrays here."""
        return self._hand_texts[player]

    def weights(self, player: int) -> F64:
        """(H,) the weight with which each hand reaches the node."""
        return np.asarray(self.reach[player][self.combos(player)])

    @cached_property
    def _meetings(self) -> dict[int, F64]:
        return {}

    def meetings(self, player: int) -> F64:
        """(H,) the weight of the others' hands that each hand meets here, 0 if it is rounding."""
        if player not in self._meetings:
            combos, num_players = self.combos(player), len(self.reach)
            others = [self.reach[(player + k) % num_players] for k in range(1, num_players)]
            met = meetings_with(others, combos, self.solved.spot.hole_cards)
            blocked = np.isin(self.hole_cards(player), self.board).any(axis=1)
            possible = ~blocked & meets_some(met, num_players)
            self._meetings[player] = np.where(possible, met, 0.0)
        return self._meetings[player]

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
        solved, (path, indices) = self.solved, self._on_board
        row = solved.node_values(node, path, player).astype(np.float64)[indices[player]]
        met = self.meetings(player)
        safe = met > 0
        ev = row / np.where(safe, met, 1.0) + solved.reader.origin(node, player)
        return np.where(safe, ev, np.nan)

    @cached_property
    def _equities(self) -> dict[int, F64]:
        return {}

    def equities(self, player: int) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now; NaN where undefined.

        Of three players one who folded has 0.
        """
        if player not in self._equities:
            self._equities[player] = self.solved.reader.equities(
                player, self.dealt, self.reach, self.node.folded
            )
        return self._equities[player]

    def figures(self, hand: str, player: int | None = None) -> HandFigures:
        """All figures of one hand, by default of the player who acts."""
        who = self.acting(player)
        number = hand_number(parse_hand(hand, self.solved.spot.hole_cards))
        places = np.flatnonzero(self.combos(who) == number)
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
        for facts in self.table(player).values():
            row: dict[str, Any] = {"hand": facts.hand, "weight": facts.weight}
            row |= {"equity": facts.equity, "ev": facts.ev, **(facts.strategy or {})}
            rows.append(row | {f"ev {name}": ev for name, ev in (facts.action_evs or {}).items()})
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
            self.hands(who)[i], float(weights[i]), strategy, action_evs, ev,
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
