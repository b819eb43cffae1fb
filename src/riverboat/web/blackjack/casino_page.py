"""Play blackjack as in a casino: chips, splits side by side, insurance, and the count if wanted."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui
from starlette.requests import Request

from riverboat.blackjack.casino.sitting import OneSeat, ShoeInPlay
from riverboat.blackjack.round import LABELS, Round
from riverboat.blackjack.rules import PRESETS, points
from riverboat.blackjack.simulation.counting import SYSTEMS
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.app.frame import button, heading, in_thread, page, panel
from riverboat.web.app.markup import Picture, decided
from riverboat.web.blackjack.views import (
    hand_cards,
    preset_of,
    rules_from_query,
    rules_in_words,
    worths_by_letter,
)
from riverboat.web.play.session import Kept, KeptSession, SittingStore

if TYPE_CHECKING:
    from riverboat.web.server import Site

CHIPS = (1, 5, 25)
START = 100.0
OWN = "own"  # Instead of a preset: rules of an address that are none


class CasinoSession(KeptSession):
    """One sitting: bets and decisions as texts, played again from the seed after a restart."""

    def __init__(self, kept: Kept, store: SittingStore) -> None:
        super().__init__(kept, store)
        self.rules = rules_from_query(kept.parameters)
        shoe = ShoeInPlay(self.rules, np.random.default_rng(kept.seed))
        self.seat = OneSeat(self.rules, shoe, START)
        self.playing = False
        self.bet = 1.0
        self.lines: list[tuple[str, str]] = []
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
                raise UsageError(f"A bet is a number, not {amount!r}.") from None
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
        del self.lines[:-300]


def register(site: Site) -> None:
    """Put the page at its addresses, before those of the other games."""
    store = SittingStore(site.settings.folder / ".web" / "sittings")

    @ui.page("/play/blackjack")
    @ui.page("/play/blackjack/{sitting}")
    def casino(request: Request, sitting: str = "") -> None:
        kept = store.load(sitting) if sitting else None
        if kept is None or kept.game != "blackjack":
            query = dict(request.query_params)
            kept = Kept("blackjack", query, seed=secrets.randbits(40))
        with page("Play", "/play"):
            heading("Casino blackjack", "Bet, then play. Hints are worked out from the cards left.")
            ui.timer(0, CasinoPage(store, kept).open, once=True)


class CasinoPage:
    """The page of one player."""

    def __init__(self, store: SittingStore, kept: Kept) -> None:
        self.store, self.kept = store, kept
        self.hinting = self.counting = False
        self.wager = 0.0
        with ui.element("div").classes("columns wide-side"):
            with ui.element("div").classes("stack"):
                waiting = tag("div", tag("p", "The shoe is shuffled …", cls="muted"), cls="felt")
                self.table = Picture(waiting, live=True)
                with panel() as moves:
                    moves.classes("moves-panel tall")
                    self.moves = Picture(on_pick=self._pick)
                    self.hint = Picture(live=True)
            with ui.element("div").classes("stack"):
                with panel() as score:
                    score.classes("score-panel")
                    self.score = Picture()
                    self.log = Picture()
                with panel("Table"):
                    chosen = preset_of(rules_from_query(kept.parameters)) or OWN
                    own = {OWN: "rules of the chart page"} if chosen == OWN else {}
                    names = own | {name: name for name in PRESETS}
                    self.preset = ui.select(names, label="Rules of a new shoe", value=chosen)
                    self.preset.props("outlined dense options-dense")
                    self.words = Picture()
                    ui.switch("Show the count (Hi-Lo)", on_change=lambda e: self._count(e.value))
                    button("New shoe and bankroll", self._new, icon="restart_alt")

    async def open(self) -> None:
        session: Any = await in_thread(CasinoSession, self.kept, self.store)
        self.session: CasinoSession = session
        self.wager = min(session.bet, session.seat.bankroll)
        self.words.show(rules_in_words(session.rules))
        self.store.save(self.kept)
        ui.navigate.history.replace(f"/play/blackjack/{self.kept.name}")
        self.refresh()

    def _count(self, wanted: bool) -> None:
        self.counting = wanted
        self.refresh()

    async def _new(self) -> None:
        named = str(self.preset.value)
        rules = dict(self.kept.parameters) if named == OWN else {"rules": named}
        self.kept = Kept("blackjack", rules, seed=secrets.randbits(40))
        await self.open()

    async def _pick(self, text: str) -> None:
        pick, decision = decided(text)
        what, _, amount = pick.partition(":")
        if what == "?":
            self.hinting = not self.hinting
        elif what == "chip":
            more = float(amount) if amount in map(str, CHIPS) else 0.0
            self.wager = min(self.session.seat.bankroll, self.wager + more) if more else 0.0
        elif what in ("deal", "do") and decision is not None:
            action = f"bet:{self.wager:g}" if what == "deal" else amount
            try:
                await in_thread(self.session.do, action, decision)
            except RiverboatError as error:
                ui.notify(str(error), type="warning")
            self.hinting = False
            if self.session.over:
                self.wager = min(self.session.bet, self.session.seat.bankroll)
        self.refresh()

    def refresh(self) -> None:
        session = self.session
        seat = session.seat
        self.table.show(_felt(session, self.wager))
        self.moves.show(self._moves())
        show = self.hinting and not session.over
        self.hint.show(worths_by_letter(seat.values(seat.table)) if show else Markup(""))
        tiles = [
            (f"{seat.bankroll:g}", "bankroll"),
            (str(seat.rounds), "rounds"),
            (f"{seat.cost:.3f}", "cost of your moves"),
        ]
        if self.counting:
            running, true = session.seat.count(SYSTEMS["hilo"])
            tiles.append((f"{signed(running, 0)} / {signed(true, 1)}", "running / true count"))
        self.score.show(
            tag(
                "div",
                [tag("div", tag("b", big), tag("span", small), cls="tile") for big, small in tiles],
                cls="tile-row",
            )
        )
        classes = {"hand": "muted", "cost": "bad", "end": "hand-end", "move": "muted"}
        lines = [tag("span", words, cls=classes[kind]) for kind, words in session.lines[-60:]]
        self.log.show(tag("div", list(reversed(lines)), cls="log", tabindex="0"))

    def _moves(self) -> Markup:
        session = self.session
        if not session.over:
            letters = session.seat.affordable(session.seat.table)
            buttons = [
                _button(LABELS[c], f"do:{c}", c.lower(), decision=session.decisions)
                for c in letters
            ]
            return tag("div", buttons, _button("hint", "?:", "?"), cls="moves")
        if session.seat.bankroll <= 0:
            return tag("p", "The bankroll is gone. Take a new one next to the table.", cls="note")
        chips = [
            pick_button(
                f"chip:{chip}",
                f"+{chip}",
                cls=f"chip-button chip-{chip}",
                aria_label=f"bet {chip} more",
                data_key=str(chip)[0],
            )
            for chip in CHIPS
        ]
        clear = _button("clear", "chip:0", "0")
        deal = pick_button(
            "deal:",
            f"Deal for {self.wager:g} ",
            tag("kbd", "Enter"),
            cls="btn main-act",
            data_key="Enter",
            data_decision=session.decisions,
            disabled=self.wager <= 0,
        )
        return tag("div", deal, chips, clear, cls="moves")


def _button(text: str, pick: str, key: str, *, decision: int | None = None) -> Markup:
    return pick_button(
        pick, f"{text} ", tag("kbd", key), cls="btn", data_key=key, data_decision=decision
    )


def _total(cards: str, natural: bool = True) -> str:
    total, soft = points(cards)
    if total > 21:
        return "bust"
    if natural and len(cards) == 2 and total == 21:
        return "blackjack"
    return f"soft {total}" if soft and total < 21 else str(total)


def _felt(session: CasinoSession, wager: float) -> Markup:
    table = session.seat.table
    if not session.playing:
        empty = tag("p", "Place your bet.", cls="muted")
        return tag("div", tag("div", empty, cls="middle"), _bet(wager), cls="felt")
    over = session.seat.over
    shown = table.dealer if over else table.dealer[:1] + "?" * (len(table.dealer) > 1)
    dealer = tag(
        "div",
        tag("span", "dealer", cls="who"),
        hand_cards(shown),
        tag("span", _total(table.dealer) if over else "", cls="what"),
        cls="seat",
    )
    hands = [_hand(table, index, over) for index in range(len(table.seats[0]))]
    return tag(
        "div",
        tag("div", dealer, cls="seats"),
        tag("div", _bet(wager) if over else None, cls="middle"),
        tag("div", hands, cls="seats own"),
        cls="felt",
    )


def _hand(table: Round, index: int, over: bool) -> Markup:
    hand = table.seats[0][index]
    turn = not over and table.turn.wants == "action" and index == table.turn.hand
    words = f"{_total(hand.cards, not hand.split)} · bet {hand.bet:g}"
    name = "you" if len(table.seats[0]) == 1 else f"hand {index + 1}"
    return tag(
        "div",
        tag("span", name, cls="who"),
        hand_cards(hand.cards),
        tag("span", words, cls="what"),
        cls="seat" + " turn" * turn,
    )


def _bet(wager: float) -> Markup:
    chip = tag("i", cls="chip", aria_hidden="true")
    return tag("span", chip, join(f"next bet {wager:g}"), cls="pot")
