"""`riverboat blackjack drill`: drills for hands and for counting.

Answers are read a line at a time, so that a pipe can answer too; its end, or Ctrl-C, ends the
drill with the score.
"""

from __future__ import annotations

import sys
import textwrap
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from riverboat.arena.drill import PracticeRecord, Verdict
from riverboat.arena.memory import Memory, Wanted, again_words
from riverboat.arena.memory import Question as Remembered
from riverboat.blackjack.casino.count_drill import CountDrill, Stretch
from riverboat.blackjack.casino.drills import Question, Trainer, default_record
from riverboat.blackjack.rules import ACTIONS, points, rules_from
from riverboat.cli import clock
from riverboat.cli.console import emit
from riverboat.cli.groups import App
from riverboat.cli.options import (
    Changes,
    JsonFlag,
    Only,
    Person,
    Preset,
    count_option,
    number_option,
    option,
    refuse,
    seed_option,
)
from riverboat.errors import UsageError
from riverboat.runtime.storage import data_folder

KEYS = {letter.lower(): name for letter, name in ACTIONS.items()} | {"i": "insure", "n": "decline"}


@dataclass(frozen=True)
class Trained:
    """Who trains, and what is asked; with an empty memory nothing is remembered."""

    memory: Memory
    wanted: Wanted

    def note(self, question: Remembered, verdict: Verdict) -> str:
        """Remember an answer; when its question comes again, in words."""
        now = clock.now()
        self.memory.note(question, verdict, now)
        return again_words(self.memory.schedule_of(question), now)


def run_drill(trainer: Trainer, hands: int, trained: Trained | None = None) -> None:
    """Ask until `hands` are decided (0: without end), the input ends or Ctrl-C; then the score."""
    keys = "h hit, s stand, d double, p split, r surrender"
    if "deviations" in trainer.kinds:
        keys += ", i insure, n decline"
    print(f"{keys}; ? shows the values (and does not score), q ends.")
    asked = 0
    try:
        while not hands or asked < hands:
            if not _ask(trainer, asked + 1, trained):
                break
            asked += 1
    except (EOFError, KeyboardInterrupt):
        print()
    print()
    for line in trainer.score.lines():
        print(line)
    _farewell(trainer.record)
    _farewell_to_person(trained)


def _farewell_to_person(trained: Trained | None) -> None:
    if trained is not None and trained.memory.person:
        print(trained.memory.words(clock.now()))


def _farewell(record: PracticeRecord) -> None:
    if record.path is None:
        return
    waiting = len(record.items)
    if waiting:
        print(f"{waiting} {'hand' if waiting == 1 else 'hands'} will come again.")
    print(f"Record: {record.path}")


def _ask(trainer: Trainer, number: int, trained: Trained | None) -> bool:
    """One hand; False when the player has had enough."""
    if trained is None:
        question = trainer.next()
    else:
        question = trainer.next_to_train(trained.memory, clock.now(), trained.wanted)
    print()
    print(f"{number}. {_scene(question)}")
    letters = [key for key, name in KEYS.items() if name in question.values]
    looked_up = False
    while True:
        answer = input(f"   {'/'.join(letters)}? ").strip().lower()[:1]
        if answer == "q":
            return False
        if answer == "?":
            looked_up = True
            for name, ev in question.values.items():
                print(f"     {name:<10} {ev:+z.4f}")
        elif answer in letters:
            break
        else:
            print(f"   Answer {', '.join(letters)}, ? or q.")
    verdict = trainer.answer(question, KEYS[answer], looked_up=looked_up)
    values = question.values
    if verdict.right:
        print(f"   Right: {verdict.action}, {values[verdict.action]:+z.4f}.")
    else:
        print(
            f"   No: {verdict.best} ({values[verdict.best]:+z.4f}) beats {verdict.action}"
            f" ({values[verdict.action]:+z.4f}); that cost {verdict.cost:.4f} bets."
        )
    if trained is not None and trained.memory.person:
        print(f"   {trained.note(trainer.remembered(question), verdict)}")
    total = trainer.score.total
    unscored = "" if verdict.scored else " This one does not score."
    print(f"   Score {total.right} of {total.asked}, {total.lost:.4f} bets lost.{unscored}")
    return True


def _scene(question: Question) -> str:
    count = "" if question.count is None else f"true count {question.count:+d}, "
    again = "   (again)" if question.again else ""
    if not question.cards:
        return f"{count}dealer shows {question.up}: insurance?{again}"
    total, soft = points(question.cards)
    hand = f"{','.join(question.cards)} ({'soft ' if soft else ''}{total})"
    return f"{count}dealer shows {question.up}, you have {hand}{again}"


def count_cards(
    drill: CountDrill,
    rounds: int,
    cards: int,
    group: int,
    seconds: float,
    trained: Trained | None = None,
) -> None:
    """Deal stretches to count until `rounds` are answered (0: without end) or the input ends."""
    drill.check(cards)
    flash = seconds > 0
    how = f"each group shows for {seconds:g} s" if flash else "Enter brings the next cards"
    print(f"Counting {drill.system.name}, {drill.decks} decks; {how}; q ends.")
    done = 0
    try:
        while not rounds or done < rounds:
            stretch = drill.next(cards, inside=done > 0)
            print(f"\n{done + 1}. The count is {stretch.start:+g}.")
            took = _show_cards(stretch, group, seconds)
            if not _ask_count(drill, stretch, took, trained):
                break
            done += 1
    except (EOFError, KeyboardInterrupt):
        print()
    tally = drill.tally
    print()
    if not tally.asked:
        print("No count was answered.")
        return
    per_deck = 52 * tally.seconds / tally.cards
    print(f"{tally.right} of {tally.asked} counts right; {per_deck:.0f} s per deck.")
    _farewell(drill.record)
    _farewell_to_person(trained)


def _show_cards(stretch: Stretch, group: int, seconds: float) -> float:
    """Show the cards group by group; how long that took."""
    if seconds > 0 and input("   Enter when you are ready. ").strip().lower() == "q":
        raise EOFError
    started = time.perf_counter()
    for shown in stretch.groups(group):
        text = "   " + " ".join(shown)
        if seconds <= 0:
            if input(f"{text} ").strip().lower() == "q":
                raise EOFError
            continue
        sys.stdout.write(f"\r{text:<{4 + 2 * group}}")
        sys.stdout.flush()
        time.sleep(seconds)
    if seconds > 0:
        sys.stdout.write("\r" + " " * (4 + 2 * group) + "\r")
    return time.perf_counter() - started


def _ask_count(drill: CountDrill, stretch: Stretch, took: float, trained: Trained | None) -> bool:
    """Ask both counts and judge them; False when the player has had enough."""
    running = _number("   Running count? ")
    true = None
    if running is not None and stretch.true is not None:
        true = _number(f"   {stretch.decks_left:g} decks are left. True count? ")
    if running is None or (stretch.true is not None and true is None):
        return False
    verdict = drill.answer(stretch, running, true, seconds=took)
    if trained is not None:
        trained.note(*drill.remembered(verdict))
    counts = f"running {stretch.running:+g}"
    if stretch.true is not None:
        counts += f", true {stretch.true:+z.1f}"
    right = "Right" if verdict.right else "No"
    print(f"   {right}: {counts}; {52 * verdict.per_card:.0f} s per deck.")
    if not verdict.running_right:
        print(
            textwrap.fill(
                " ".join(stretch.cards), 76, initial_indent="   ", subsequent_indent="   "
            )
        )
    return True


def _number(prompt: str) -> float | None:
    """A number, or None for q."""
    while True:
        answer = input(prompt).strip().lower()
        if answer in ("q", "quit"):
            return None
        try:
            number = float(answer)
        except ValueError:
            number = float("nan")
        if abs(number) < 1e6:
            return number
        print("   Answer a number such as 3 or -1.5, or q.")


def show_record(record: PracticeRecord) -> None:
    """The totals of all runs, and what comes again."""
    if not record.tallies:
        print(f"Nothing is recorded yet in {record.path}.")
        return
    print(f"{'drill':<12}{'asked':>7}{'right':>8}{'looked up':>11}{'bets lost':>11}{'s/deck':>8}")
    for kind, tally in sorted(record.tallies.items()):
        share = f"{100 * tally.right / tally.asked:.0f} %" if tally.asked else "-"
        pace = f"{52 * tally.seconds / tally.cards:.0f}" if tally.cards and tally.seconds else "-"
        print(
            f"{kind:<12}{tally.asked:>7,}{share:>8}{tally.looked_up:>11,}{tally.lost:>11.4f}{pace:>8}"
        )
    if record.items:
        print("\nTo come again, the most mistaken first:")
        for item in sorted(record.items, key=lambda item: -item.mistakes)[:10]:
            hand, _, rest = item.key.partition("v")
            up, _, count = rest.partition("@")
            at = f" at a true count of {int(count):+d}" if count else ""
            times = "once" if item.mistakes == 1 else f"{item.mistakes} times"
            print(
                f"  {','.join(hand) or 'insurance'} against {up}{at}   {item.kind}, wrong {times}"
            )
    print(f"\nRecord: {record.path}")


app = App()


Drill = StrEnum("Drill", ("ALL", "HARD", "SOFT", "PAIRS", "SURRENDER", "DEVIATIONS", "COUNT"))
"""What to practise; `all` is basic strategy."""


@app.command("drill")
def trainer(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    drill: Annotated[
        list[Drill] | None,
        option(
            "What to practise; repeatable: all (basic strategy), hard, soft, pairs, surrender,"
            " deviations, count (cards).",
            metavar="KIND",
            show_default="all",
        ),
    ] = None,
    hands: Annotated[
        int, count_option("--hands", "The number of questions; 0: until you type q.", min=0)
    ] = 0,
    system: Annotated[
        str | None, option("--count", "count: hilo (default), ko, zen, …", metavar="SYSTEM")
    ] = None,
    cards: Annotated[
        int | None, count_option("--cards", "count: cards per question (default 26).", min=1)
    ] = None,
    group: Annotated[
        int | None, count_option("--group", "count: cards at a time (default 2).", min=1)
    ] = None,
    seconds: Annotated[
        float | None,
        number_option("--seconds", "count: how long each group shows.", min=0.0, max=60.0),
    ] = None,
    person: Person = None,
    only: Only = None,
    record: Annotated[Path | None, option("Where statistics are kept.")] = None,
    no_record: Annotated[bool, option("--no-record", "Keep no statistics.")] = False,
    stats: Annotated[bool, option("--stats", "Show the statistics and end.")] = False,
    seed: Annotated[int | None, seed_option("Same seed, same questions.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Practise: it deals, you answer, it says what a mistake costs. What you miss comes again.

    With --person answers are remembered by days, as `riverboat training` shows them. --only asks
    about some hands: hand=soft, up=T, mistakes.

    \b
    Examples:
    riverboat blackjack drill --drill soft --drill pairs
    riverboat blackjack drill --drill deviations
    riverboat blackjack drill --drill count --seconds 1
    riverboat blackjack drill --person Ada --only hand=soft --only up=T
    riverboat blackjack drill --stats
    """
    if person is not None and (record is not None or no_record or stats):
        raise UsageError(
            "--person keeps a memory of its own; leave out --record, --no-record and --stats."
        )
    if no_record and (record is not None or stats):
        raise UsageError("--no-record keeps nothing; leave out --record and --stats.")
    if as_json and not stats:
        raise UsageError("--json is for --stats: a drill is a conversation.")
    trained = None
    if person is not None or only:
        memory = Memory() if person is None else Memory.of(person, data_folder())
        trained = Trained(memory, Wanted.parse(only or ()))
    apart = no_record or person is not None
    kept = PracticeRecord() if apart else PracticeRecord.load(record or default_record())
    if stats:
        emit(kept.as_dict()) if as_json else show_record(kept)
        return
    table, wanted = rules_from(rules, changes or ()), drill or [Drill.ALL]
    if Drill.COUNT in wanted:
        if len(wanted) > 1:
            raise UsageError("--drill count goes alone: cards are counted without deciding.")
        if table.decks == "infinite":
            raise UsageError("An infinite deck cannot be counted; set decks to 1 to 8.")
        if only:
            raise UsageError("--only is for hands to decide, not for --drill count.")
        practice = CountDrill(system or "hilo", table.decks, seed, kept)
        count_cards(practice, hands, cards or 26, group or 2, seconds or 0.0, trained)
        return
    refuse("is for --drill count", count=system, cards=cards, group=group, seconds=seconds)
    kinds = () if Drill.ALL in wanted else [kind.value for kind in wanted]
    run_drill(Trainer(table, kinds, seed=seed, record=kept), hands, trained)
