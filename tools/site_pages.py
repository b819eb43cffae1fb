"""The pages of the site that are made from the code: one for each game, one with all commands.

docs/conf.py calls `write_pages` before a build. What is written is ignored by git: the game files'
docstrings and the commands' help are the source. `python tools/site_pages.py DOCS` writes them too.
"""

from __future__ import annotations

import importlib
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "src" / "riverboat" / "lessons" / "texts"
COUNTED = 50_000
"""Games with more histories are not counted while the site is built."""

INTRODUCTIONS = {
    "rps": "Everybody knows it, so it is the best place to meet regret and mixed strategies.",
    "kuhn": "Three cards and one bet are enough for bluffing. The smallest poker worth solving.",
    "leduc": "Two rounds, a raise and a card on the table: the standard test of a poker solver.",
    "liars_dice": "Bids, doubts and a hidden die each. Larger than it looks.",
    "showdown": "A small poker with a card in the middle, from a course on bots.",
    "duel": "Two players share a pot with a dealer who only follows rules.",
    "twentyone": "Hit or stand, nothing else. Made for learning by play, and solved exactly.",
    "blackjack": "The casino's game with every rule it may have, solved exactly by counting.",
    "holdem": "The real thing: two to ten players, any stacks, side pots and all.",
    "omaha": "Four cards, of which exactly two count; a raise is by at most the pot.",
    "shortdeck": "Hold'em with 36 cards: antes, and a flush beats a full house.",
}
"""Game → why to play it."""
COMMANDS = {
    "duel": (
        'riverboat duel "6, 6, 2" 1 1000',
        "riverboat solve duel --out duel.rb",
        "riverboat play duel --against duel.rb",
    ),
    "liars_dice": (
        "riverboat solve liars_dice --set faces=3 --out dice.rb",
        "riverboat play liars_dice --set faces=3 --against dice.rb",
    ),
    "twentyone": (
        "riverboat train twentyone --state soft --games 1e6 --out q.rb",
        "riverboat match twentyone q.rb --hands 1000",
        "riverboat plot value-surface q.rb --out surface.svg",
        "riverboat play twentyone --hint",
    ),
    "blackjack": (
        "riverboat blackjack ev",
        'riverboat blackjack hand "T,6" --up 10',
        "riverboat plot blackjack-landscape --out landscape.svg",
        "riverboat play blackjack",
    ),
    "holdem": (
        "riverboat play holdem",
        "riverboat equity AsAh KdKc",
        "riverboat example 3bet.toml",
        "riverboat holdem solve 3bet.toml --out 3bet.rb",
    ),
    "omaha": (
        "riverboat play omaha --players 3",
        "riverboat match omaha holdem:random holdem:call --hands 200",
    ),
    "shortdeck": (
        "riverboat play shortdeck",
        "riverboat match shortdeck holdem:random holdem:call --hands 200",
    ),
}
"""Game → what to type; small games have the same commands."""
LINKS = {
    "kuhn": ("[What each algorithm promises](../algorithms.md)",),
    "leduc": ("[What each algorithm promises](../algorithms.md)",),
    "duel": ("[The duel solved: how, and what the answer means](../duel.md)",),
    "twentyone": (
        "[Learning by play](../twentyone.md#learning-by-play)",
        "[Dealer, players and tournaments over TCP](../twentyone.md)",
    ),
    "blackjack": (
        "[Exact values](../blackjack.md)",
        "[Simulation, counting and risk](../blackjack_simulation.md)",
        "[The searching bot](../blackjack_simulation.md#the-searching-bot)",
    ),
    "holdem": (
        "[The rules in detail](../holdem.md#the-rules)",
        "[Spots: a flop, turn or river solved](../spots.md)",
        "[Training a whole strategy](../holdem.md)",
    ),
    "omaha": ("[Omaha and short deck](../omaha.md)",),
    "shortdeck": ("[Omaha and short deck](../omaha.md)",),
}
"""Game → pages that say more."""


def game_pages() -> dict[str, str]:
    """Name → page, from the docstring of the game's file."""
    from riverboat.games.registry import GAMES, make_game

    return {name: _game_page(name, make_game(name)) for name in GAMES}


def _game_page(name: str, game: Any) -> str:
    module: Any = importlib.import_module(type(game).__module__)
    _, _, rules = (module.__doc__ or "").strip().partition("\n\n")
    # A mention of a file or page, for those who read the code, becomes a link.
    rules = re.sub(r"docs/(\w+)\.md", r"[\1](../\1.md)", rules)
    commands = COMMANDS.get(name) or (
        f"riverboat play {name} --hint",
        f"riverboat solve {name} --out {name}.rb",
        f"riverboat show {name}.rb",
        f"riverboat match {name} {name}.rb random",
    )
    parts = [f"# {game.title}", INTRODUCTIONS.get(name, ""), "## The rules", rules.strip()]
    parts += [_size(game), "## Try it", "```sh", *commands, "```"]
    text = "\n\n".join(part for part in parts[: -len(commands) - 2] if part)
    text += "\n\n" + "\n".join(parts[-len(commands) - 2 :]) + "\n\n"
    text += f'From Python it is `rb.game("{name}")`; its parameters are keywords.\n'
    if name in LINKS:
        text += "\n## More\n\n" + "\n".join(f"- {link}" for link in LINKS[name]) + "\n"
    return text


def _size(game: Any) -> str:
    """The size of a small game, counted."""
    from riverboat.trees.game_tree import estimate_histories, measure

    if not game.small or estimate_histories(game, probes=50) > COUNTED:
        return ""
    size = measure(game)
    return (
        f"With its default parameters it has {size.histories:,} histories (points that a play can"
        f" come to), {size.infosets:,} infosets (situations as one player sees them) and"
        f" {size.terminals:,} ends."
    )


def command_page() -> str:
    """All commands with their options, from their help."""
    from riverboat.cli.main import PANELS, command_tree

    tree = command_tree()
    parts = [
        "# Every command and option",
        "Made from the help of the commands themselves: `riverboat COMMAND --help` says the same."
        " [The commands by what they do](../commands.md) is the shorter list.",
    ]
    for panel, names in PANELS.items():
        parts.append(f"## {panel}")
        for name in names:
            for path, command in _leaves(tree.commands[name], (name,)):
                parts += _command(path, command)
    return "\n\n".join(parts) + "\n"


def _leaves(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    children = getattr(command, "commands", None)
    if not children:
        yield path, command
        return
    for name, child in children.items():
        yield from _leaves(child, (*path, name))


def _command(path: tuple[str, ...], command: Any) -> list[str]:
    from riverboat.cli.groups import examples as examples_of

    what, examples = (command.help or "").partition("\n\n\b\nExample")[0], examples_of(command)
    lines = [f"### riverboat {' '.join(path)}", _plain(what)]
    if examples:
        lines.append("\n".join(["```sh", *examples, "```"]))
    rows = [row for row in map(_parameter, command.params) if row]
    if rows:
        lines.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    return lines


def _parameter(parameter: Any) -> str:
    from riverboat.cli.groups import shown_names

    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return ""
    if parameter.param_type_name == "argument":
        name = parameter.metavar or parameter.name.upper()
    else:
        name = ", ".join((*shown_names(parameter), *parameter.secondary_opts))
    description = _plain(getattr(parameter, "help", None) or "")
    return f"| `{name.replace('|', '¦')}` | {description} |"


def _plain(text: str) -> str:
    """Help as Markdown: one line a paragraph; stars and bars are themselves."""
    paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    found = "\n\n".join(paragraphs)
    parts = re.split(r"(`[^`]*`)", found)  # what is in backticks stays as it is
    escaped = (p if p.startswith("`") else re.sub(r"([*_|<\[\]])", r"\\\1", p) for p in parts)
    return "".join(escaped)


def site_links(text: str, page: str) -> str:
    """Lead links to files of the repository to the pages of the site that are made from them.

    In a checkout and on a Git host the pages do not exist, so docs/ links to their sources. The
    engineering notes have no page: a link to one becomes its words and the file's name.
    `page` is the page that holds the text, relative to docs/.
    """
    folder = posixpath.dirname(page)

    def lead(link: re.Match[str]) -> str:
        words, path, fragment = link.groups("")
        source = posixpath.normpath(posixpath.join("docs", folder, path))
        if source.startswith("notes/"):
            return f"{words} (`{source}`)"
        made = _sources().get(source)
        return f"[{words}]({posixpath.relpath(made, folder or '.')}{fragment})" if made else link[0]

    return re.sub(r"\[([^\[\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)", lead, text)


@cache
def _sources() -> dict[str, str]:
    """File of the repository → page made from it, relative to docs/."""
    from riverboat.games.registry import GAMES, make_game

    pages = {
        "CHANGELOG.md": "changelog.md",
        "CONTRIBUTING.md": "contributing.md",
        "src/riverboat/cli/main.py": "reference/options.md",
    }
    for lesson in LESSONS.glob("*.md"):
        pages[lesson.relative_to(ROOT).as_posix()] = f"lessons/{lesson.name}"
    for name in GAMES:
        module = type(make_game(name)).__module__.replace(".", "/")
        pages[f"src/{module}.py"] = f"games/{name}.md"
    return pages


def write_pages(docs: Path) -> None:
    """Write all of them below `docs`; files that already say the same are left alone."""
    pages = {f"games/{name}.md": text for name, text in game_pages().items()}
    pages["reference/options.md"] = command_page()
    for path, text in pages.items():
        _write(docs / path, text)
    if LESSONS.is_dir():
        for lesson in sorted(LESSONS.glob("*.md")):
            _write(docs / "lessons" / lesson.name, lesson.read_text(encoding="utf-8"))
        for folder in (entry for entry in LESSONS.iterdir() if entry.is_dir()):
            shutil.copytree(folder, docs / "lessons" / folder.name, dirs_exist_ok=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
