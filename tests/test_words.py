"""One spelling for each term, on every page, in the lessons and in the help of every command.

Code, links and titles in quotation marks keep their own.
"""

from __future__ import annotations

import re

import pytest

from examples import PAGES, ROOT, leaves

WORDS = {
    "hold'em": r"\bhold ?em\b|\bhold-em\b|\bhold 'em\b|\bhold’em\b",
    "infoset": r"\binfo[ -]sets?\b|\binformation[ -]sets?\b(?! \(infoset)(?! Monte Carlo)",
    "best response": r"\bbest-response\b",
    "twenty-one": r"\btwenty ?one\b",
    "rock-paper-scissors": r"\brock[, ]+paper[, ]+(?:and )?scissors\b",
    "blackjack": r"\bblack[ -]jack\b",
    "up card": r"\bup-?cards?\b",
    "preflop": r"\bpre-flops?\b",
    "bankroll": r"\bbank[ -]rolls?\b",
    "Monte Carlo": r"\bMonte-Carlo\b|\bmonte[ -]carlo\b",
    "NashConv": r"\bNash[ -]Conv\b",
    "zero-sum": r"\bzero sum\b",
    "Q table": r"\bQ-tables?\b",
    "Q-learning": r"\bQ learning\b",
    "MCCFR": r"\bMC-CFR\b",
    "heads-up": r"\bheads up\b|\bheadsup\b",
    "no-limit": r"\bno limit hold",
    "colour": r"\bcolor(?:s|ed|ing)?\b",
    "behaviour": r"\bbehavior",
    "minimise": r"\bminimiz|\bmaximiz|\boptimiz|\brandomiz|\bnormaliz|\bserializ|\bvisualiz",
    "per cent or %": r"\bpercent\b",
    "data set": r"\bdatasets?\b",
    "licence (the noun)": r"\bMIT license\b",
    "web browser's page, not webpage": r"\bwebpages?\b",
    "strategy": r"(?<!on-)(?<!off-)(?<!on- and off-)\bpolic(?:y|ies)\b",
}
"""How a term is written → what it is not."""
ALLOWED = {"strategy": r"OpenSpiel|Gymnasium|PettingZoo|security", "colour": r"color:|color-"}
"""Words near which another program's own word may stand."""
THEIRS = {"strategy": ("docs/interop.md",)}
"""Pages about other programs, which keep those programs' words."""
LESSONS = sorted((ROOT / "src" / "riverboat" / "lessons" / "texts").glob("*.md"))


def prose(text: str) -> str:
    """The text without code, links, titles in quotes and comments; lines stay where they are."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n") + " "

    text = re.sub(r"\A---\n.*?^---$", blank, text, flags=re.S | re.M)
    text = re.sub(r"^( *)(`{3,}).*?^\1\2", blank, text, flags=re.S | re.M)
    text = re.sub(r"`[^`\n]+`|\]\([^)]*\)|<[^>\n]+>|https?://\S+|\"[^\"\n]{12,}\"", blank, text)
    return re.sub(r"^:\S.*$|^%.*$", blank, text, flags=re.M)


TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in (*PAGES, "CHANGELOG.md")}
TEXTS |= {f"lessons/{path.name}": path.read_text(encoding="utf-8") for path in LESSONS}
TEXTS |= {
    f"riverboat {' '.join(path)} --help": (command.help or "").partition("Example")[0]
    for path, command in leaves()
}


@pytest.mark.parametrize("term", WORDS)
def test_a_term_has_one_spelling(term: str) -> None:
    wrong = []
    for name, text in TEXTS.items():
        if name in THEIRS.get(term, ()):
            continue
        lines = prose(text).splitlines()
        for number, line in enumerate(lines, start=1):
            flags = 0 if term == "Monte Carlo" else re.IGNORECASE
            found = re.search(rf"(?<![\w./=:])(?:{WORDS[term]})(?![\w/=:]|\.\w)", line, flags)
            near = " ".join(lines[max(0, number - 2) : number + 1])
            if found and not (term in ALLOWED and re.search(ALLOWED[term], near)):
                wrong.append(f"{name}:{number}: {found.group()}")
    assert wrong == [], f"write {term}"


def test_prose_leaves_out_code_and_titles() -> None:
    text = 'Say `color` and "behavior in large games"; see [x](color.md).\n```\ncolor\n```\nend'
    assert "color" not in prose(text)
    assert "behavior" not in prose(text)
    assert prose(text).splitlines()[-1] == "end"
