"""Decisions of all-in or fold for a quiz (arena.quiz), valued against the equilibrium."""

from __future__ import annotations

from riverboat.arena.quiz import Question, spread
from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, class_of_combos
from riverboat.holdem.preflop.push_fold import PushFold
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.players.player import View, keep_state

STACKS = (6, 10, 15)  # Big blinds
BIG_BLIND = 2  # Chips of the game that is asked about
TARGET = 1e-6  # Big blinds: far below the losses that a quiz counts
QUESTIONS_EACH = 6  # Of each seat at each stack
RULE = "You may go all-in or fold; the opponent knows this, too, and plays the equilibrium."


def questions() -> list[Question]:
    """Hands of both seats with several stacks; values are in big blinds."""
    drawn = []
    for stack in STACKS:
        game = Holdem(stacks=(stack * BIG_BLIND,))
        solution = PushFold(stacks=(stack, stack)).solve(target=TARGET)
        for line, seat in (((), 1), (("a",), 0)):
            node = solution.node(line)
            allin = "c" if line else f"r{stack * BIG_BLIND}"
            asked = []
            for number, name in enumerate(CLASS_NAMES):
                state = _dealt(game, name, seat, first_pushed=bool(line))
                by_action = dict(zip(node.actions, node.values[:, number].tolist(), strict=True))
                values = {"f": by_action["f"], allin: by_action["a"]}
                title = f"{name} {'against all-in' if line else 'to open'}, {stack} bb"
                asked.append(Question(_view(game, state, tuple(values)), values, "bb", title))
            drawn += spread(asked, QUESTIONS_EACH)
    return drawn


def _dealt(game: Holdem, name: str, seat: int, *, first_pushed: bool) -> HoldemState:
    """The state at which a seat decides with the first hand of a class; others have any cards."""
    combo = int((class_of_combos() == CLASS_NAMES.index(name)).argmax())
    mine = COMBO_CARDS[combo].tolist()[::-1]  # The game deals a hand's higher card first
    others = [card for card in reversed(range(52)) if card not in mine][:2]
    state = game.start()
    for card in (*mine, *others) if seat == 0 else (*others, *mine):
        state = state.after(card_text(card))
    return state.after(state.actions()[-1]) if first_pushed else state


def _view(game: Holdem, state: HoldemState, actions: tuple[str, ...]) -> View:
    """The decision with only these moves."""
    seat = state.actor
    words = f"{state.describe(seat)}\nThe big blind is {BIG_BLIND} chips. {RULE}"
    view = View(game, seat, state.infoset(seat), actions, lambda: words)
    keep_state(view, state)
    return view
