"""What assistants can read: the rules of each game, the guide's pages, and ready questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import riverboat
from riverboat.errors import UnknownNameError, UsageError, did_you_mean
from riverboat.games.registry import GAMES, game_class, make_game, rules_text

PAGES = (
    "start", "blackjack", "blackjack_simulation", "cards", "spots", "preflop", "holdem",
    "holdem_search", "review", "twentyone", "duel", "algorithms", "bots", "python", "assistants",
)  # fmt: skip
"""The pages of the guide that answer questions of players and students."""
RULES, GUIDE, LIBRARY = "riverboat://rules/", "riverboat://guide/", "riverboat://library"
MAX_PROMPT = 20_000  # Characters of an argument of a prompt


def resources_of() -> dict[str, tuple[str, str, str]]:
    """Address → name, title and a sentence, of all that can be read."""
    table: dict[str, tuple[str, str, str]] = {}
    for name in GAMES:
        rules = make_game(name)
        words = str(getattr(rules, "summary", rules.title))
        table[RULES + name] = (f"rules-{name}", f"Rules: {rules.title}", words)
    for name in PAGES:
        if text := page_text(name):
            title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), name)
            table[GUIDE + name] = (f"guide-{name}", title, f"A page of the guide: {title}.")
    words = "The names of the strategies in the server's library."
    table[LIBRARY] = ("library", "The library", words)
    return table


def resource_text(address: str, files: Sequence[str]) -> str:
    """What stands at an address; `files` are the names in the library."""
    if address == LIBRARY:
        return "\n".join(files)
    for beginning, reader, names in ((RULES, _rules_page, tuple(GAMES)), (GUIDE, page_text, PAGES)):
        name = address.removeprefix(beginning)
        if address.startswith(beginning) and name in names and (text := reader(name)):
            return text
    raise UnknownNameError.among("resource", address[:80], resources_of())


def _rules_page(name: str) -> str:
    """The rules of a game in prose, with their source and parameters."""
    kind = game_class(name)
    return f"# {kind.title}\n\n{rules_text(kind)}\n"


def page_text(name: str) -> str:
    """A page of the guide as Markdown; empty where the installation has none."""
    for folder in _folders():
        page = folder / f"{name}.md"
        if page.is_file():
            return page.read_text(encoding="utf-8")
    return ""


def _folders() -> Iterator[Traversable]:
    """Where pages may be: in the wheel, or in the docs folder of a checkout."""
    yield resources.files("riverboat.assistants") / "guide"
    yield Path(riverboat.__file__).parents[2] / "docs"


@dataclass(frozen=True)
class ReadyQuestion:
    """A prompt: a question that a person picks, with arguments in its text."""

    name: str
    title: str
    words: str
    arguments: Mapping[str, tuple[str, str]]  # Name → what it is, and its default
    question: str

    def text(self, given: Mapping[str, str]) -> str:
        """The question with its arguments."""
        for name in given.keys() - self.arguments.keys():
            raise UsageError(
                f"{self.name} has no argument {name[:40]!r}; {did_you_mean(name, self.arguments)}"
            )
        values = {name: given.get(name, default) for name, (_, default) in self.arguments.items()}
        for name, value in values.items():
            if not value:
                raise UsageError(f"{self.name} needs {name}: {self.arguments[name][0]}")
            if len(value) > MAX_PROMPT:
                raise UsageError(f"{name} is longer than {MAX_PROMPT:,} characters.")
        # In one pass, so that what stands in a value is left as it is.
        return re.sub(r"<(\w+)>", lambda match: values[match[1]], self.question)


PROMPTS = {
    prompt.name: prompt
    for prompt in (
        ReadyQuestion(
            "review_my_hand",
            "Review my hand",
            "Where a pasted hand of hold'em lost expected value, and why.",
            {"hand": ("The hand's text, as PokerStars writes it or as PHH.", "")},
            "Review this hand of hold'em with the tool `review`, then explain in plain words the"
            " decision that cost most: what was done, what is better, and why. Quote the figures of"
            " the tool with their error, say what it assumed, and do not guess any figure."
            "\n\n<hand>",
        ),
        ReadyQuestion(
            "explain_chart_cell",
            "Explain this chart cell",
            "Why basic strategy plays a blackjack hand as it does.",
            {
                "hand": ('The hand: "T,6", "A,7" or "16".', ""),
                "dealer": ("The dealer's up card.", ""),
                "rules": ("The rule set.", "vegas-6d-s17"),
            },
            "Explain the blackjack chart's answer for <hand> against a dealer's <dealer> with the"
            " rules <rules>: ask the tool `blackjack_hand`, name the best action, what the others"
            " cost, and why, in three sentences. Quote the tool's figures and do not guess any.",
        ),
    )
}
