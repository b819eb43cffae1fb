"""How the dealer ends by up card, and what a round is worth against each."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from riverboat.web.api.blackjack import dealer_odds
from riverboat.web.app.templates import render
from riverboat.web.blackjack.table import ORDER
from riverboat.web.pages.blackjack.frame import AskedTable, table_context
from riverboat.web.site import AskedSite

router = APIRouter()


@router.get("/blackjack/dealer")
def dealer_page(request: Request, site: AskedSite) -> HTMLResponse:
    """Show the dealer's odds."""
    table = AskedTable.read(request)
    context = table_context(request, site, table, "dealer")
    odds = None
    if context["value"] is not None:
        odds = site.answers.ask(dealer_odds, table.rules)
        context["waiting"] = odds is None
    return render(
        request,
        "blackjack/dealer.html",
        422 if table.problem else 200,
        **context,
        odds=odds,
        ups=[up for up in (*ORDER, "all") if odds is not None and up in odds.up],
        outcomes=list(odds.up["all"]) if odds is not None else [],
    )
