"""Blackjack as in a casino: chips, splits side by side, insurance, and the count if wanted."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.blackjack.rules import PRESETS, points
from riverboat.errors import RiverboatError
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.blackjack.table import preset_of, query_of, rules_of_query
from riverboat.web.pages.blackjack.frame import suited, worths
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.web.blackjack.casino import CasinoSession
    from riverboat.web.play.session import Kept

router = APIRouter()
CHIPS = (1, 5, 25)
NUM_LINES = 60
"""Lines of the log that a page shows."""


@router.get("/play/blackjack", response_model=None)
def sit(request: Request) -> Response:
    """Lead to a new table with the rules of the address. Nothing is kept before the first bet."""
    try:
        rules = query_of(rules_of_query(request.query_params))
    except RiverboatError:
        rules = {}
    return RedirectResponse(_address(secrets.token_urlsafe(8), rules), 303)


@router.get("/play/blackjack/{sitting}", response_model=None)
def casino_page(request: Request, site: AskedSite, sitting: str) -> Response:
    """Show a table; `hint` shows what each action is worth, `count` the count."""
    return _page(request, site, sitting)


@router.post("/play/blackjack/{sitting}/move", response_model=None)
def move(request: Request, site: AskedSite, sitting: str, form: Posted) -> Response:
    """Bet or act, for the decision that the form was shown for."""
    kept = _find(request, site, sitting)
    session = _session(site, kept) if kept is not None else None
    if session is not None:
        wanted = form.get("move", "")[:20]
        action = f"bet:{form.get('bet', '')[:20].strip()}" if wanted == "deal" else wanted
        try:
            session.do(action, number_in(form, "decision"))
            site.live_sittings.publish(sitting)
        except RiverboatError as error:
            answer = _page(request, site, sitting, problems=by_field(error), bet=form.get("bet"))
            answer.headers["HX-Replace-Url"] = "false"
            return answer
    counting = {"count": "1"} if form.get("count") == "1" else {}
    return RedirectResponse(_address(sitting, counting), 303)


def _address(sitting: str, query: dict[str, str]) -> str:
    return f"/play/blackjack/{sitting}{'?' if query else ''}{urlencode(query)}"


def _find(request: Request, site: Site, sitting: str) -> Kept | None:
    """The sitting; one that has not begun has the rules of the address."""
    kept = site.sittings.find("blackjack", sitting)
    if kept is not None and not kept.actions and not kept.parameters:
        try:
            kept.parameters = query_of(rules_of_query(request.query_params))
        except RiverboatError:
            kept.parameters = {}
    return kept


def _session(site: Site, kept: Kept) -> CasinoSession | None:
    from riverboat.web.blackjack.casino import CasinoSession

    return site.live_sittings.ask(kept, lambda kept, _: CasinoSession(kept, site.sittings))


def _page(
    request: Request, site: Site, sitting: str, problems: Any = (), bet: str | None = None
) -> Response:
    from riverboat.web.play.live import topic_of

    kept = _find(request, site, sitting)
    if kept is None:
        return RedirectResponse("/play/blackjack", 303)
    session = _session(site, kept)
    query = request.query_params
    rules = query_of(session.rules if session else rules_of_query(kept.parameters))
    begun = bool(session and session.kept.actions)
    flags = {name: "1" for name in ("hint", "count") if query.get(name) == "1"}
    context: dict[str, Any] = {}
    if session is not None:
        with session.lock:
            context = _table(session, flags)
    if bet is not None:
        context["wager"] = bet[:20]

    def here(**changes: str) -> str:
        whole = {**({} if begun else rules), **flags, **changes}
        return _address(sitting, {name: text for name, text in whole.items() if text})

    return render(
        request,
        "blackjack/casino.html",
        422 if problems else 200,
        title="Casino blackjack",
        place="/play",
        topic=topic_of(sitting),
        here=here,
        move_address=f"/play/blackjack/{sitting}/move?{urlencode({} if begun else rules)}",
        waiting=session is None,
        session=session,
        flags=flags,
        problems=problems or {},
        presets=list(PRESETS),
        preset=preset_of(session.rules) if session else "",
        rules_query=urlencode(rules),
        suited=suited,
        **context,
    )


def _table(session: CasinoSession, flags: dict[str, str]) -> dict[str, Any]:
    """What a table shows: hands, moves, score, hint and count."""
    from riverboat.blackjack.round import LABELS
    from riverboat.blackjack.simulation.counting import SYSTEMS

    seat, table = session.seat, session.seat.table
    over, hands, dealer = session.over, [], {"cards": "", "words": ""}
    if session.playing:
        shown = table.dealer if seat.over else table.dealer[:1] + "?" * (len(table.dealer) > 1)
        dealer = {"cards": shown, "words": _total(table.dealer) if seat.over else ""}
        for index, hand in enumerate(table.seats[0]):
            turn = not over and table.turn.wants == "action" and index == table.turn.hand
            hands.append(
                {
                    "name": "you" if len(table.seats[0]) == 1 else f"hand {index + 1}",
                    "cards": hand.cards,
                    "words": f"{_total(hand.cards, not hand.split)} · bet {hand.bet:g}",
                    "turn": turn,
                }
            )
    values = seat.values(table) if "hint" in flags and not over else {}
    return {
        "over": over,
        "hands": hands,
        "dealer": dealer,
        "decision": session.decisions,
        "moves": [] if over else [(c, LABELS[c], c.lower()) for c in seat.affordable(table)],
        "worths": worths({LABELS[c]: value for c, value in values.items()}) if values else [],
        "wager": f"{min(session.bet, seat.bankroll):g}",
        "bankroll": seat.bankroll,
        "rounds": seat.rounds,
        "cost": seat.cost,
        "count": seat.count(SYSTEMS["hilo"]) if "count" in flags else None,
        "lines": session.lines[-NUM_LINES:],
        "chips": CHIPS,
        "words": session.rules.phrases,
    }


def _total(cards: str, natural: bool = True) -> str:
    total, soft = points(cards)
    if total > 21:
        return "bust"
    if natural and len(cards) == 2 and total == 21:
        return "blackjack"
    return f"soft {total}" if soft and total < 21 else str(total)
