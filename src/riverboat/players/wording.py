"""Moves in words that fit the moment: "call 1", "fold", "raises by 2"."""

from __future__ import annotations

from riverboat.games.base import Action, Game, State, Wagered

__all__ = ["move_words", "third_person"]

_VERBS = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
    "pass": "passes",
    "hit": "hits",
    "stand": "stands",
    "bid": "bids",
    "all-in": "is all-in with",
}


def move_words(game: Game, state: State, action: Action) -> str:
    """What the acting player would do by `action`; the pot tells a call from a bet."""
    own = getattr(state, "action_words", None)
    if own is not None:
        return str(own(action))
    if not isinstance(state, Wagered):
        return game.action_label(action)
    pot, price = state.stakes()
    following = state.after(action)
    added = following.stakes().pot - pot if isinstance(following, Wagered) else 0
    if added <= 0:
        return "fold" if price else "check"
    if added <= price:
        return f"call {added:g}"
    return f"raise by {added - price:g}" if price else f"bet {added:g}"


def third_person(words: str) -> str:
    """ "call 1" as "calls 1"; words that do not begin with a known verb after a colon."""
    verb, _, rest = words.partition(" ")
    if verb in _VERBS:
        return f"{_VERBS[verb]} {rest}".rstrip()
    return f"chooses {words}"
