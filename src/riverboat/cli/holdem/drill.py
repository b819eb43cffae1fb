"""`riverboat holdem drill`: play a solved spot, or before the flop, against the solution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from riverboat.arena.memory import Memory, Wanted, again_words
from riverboat.cli import clock
from riverboat.cli.console import emit, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.spot_view import SolvedFile, seat_of
from riverboat.cli.options import (
    DeviceOption,
    Hands,
    JsonFlag,
    Only,
    Person,
    Seed,
    chosen_device,
    option,
)
from riverboat.errors import RiverboatError
from riverboat.holdem.preflop.quiz import PreflopDrill, PreflopHand
from riverboat.holdem.preflop.solution import KIND as PREFLOP
from riverboat.holdem.preflop.solution import SHIPPED, PreflopSolution
from riverboat.holdem.spots.drill import Drill, DrillHand
from riverboat.runtime.storage import data_folder
from riverboat.strategies.files import file_kind
from riverboat.tui.spot_text import cards_text

if TYPE_CHECKING:
    from riverboat.arena.hand_drill import HandVerdict

app = App()


@app.command("drill")
def drill(
    path: SolvedFile,
    side: Annotated[
        str | None,
        option(
            "--player",
            "--side",
            "Your seat: oop or ip, or a player's name such as sb; the first if left out.",
        ),
    ] = None,
    hands: Hands = 10,
    person: Person = None,
    only: Only = None,
    seed: Seed = 0,
    device: DeviceOption = "cpu",
    as_json: JsonFlag = False,
) -> None:
    """Play against a solution: each decision is priced, mistakes come again.

    Takes a solved spot, or a solution before the flop: "fold, call or raise?" from the seat of
    --player, or from a seat drawn for each hand. shipped is the package's book of six players.

    With --person your answers are remembered: a miss comes again after a day, and each time that
    you know it later. New decisions are then drawn by how close they are. --only asks about some
    groups: street=turn, position=ip, suits=monotone, pairing=paired, facing=bet, mistakes.

    Type an action's number or name, ? for what the solution does (such a decision is not counted),
    q to leave. Streets that the file leaves out are solved when you come to them, on the --device.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    riverboat holdem drill 3bet.rb --player ip --hands 20
    riverboat holdem drill 3bet.rb --person Ada --only street=turn
    riverboat example push-fold.toml
    riverboat holdem preflop push-fold.toml --out push-fold.rb
    riverboat holdem drill push-fold.rb --player bb
    riverboat holdem drill shipped --player btn
    """
    game = _drill(path, side, seed, chosen_device(device, quiet=as_json))
    console = Console(stderr=True, highlight=False) if as_json else output()
    memory = None if person is None else Memory.of(person, data_folder())
    wanted = Wanted.parse(only or ())
    verdicts: list[HandVerdict] = []
    for number in range(1, hands + 1):
        if memory is not None or wanted.words:
            hand = game.deal_to_train(memory or Memory(), clock.now(), wanted)
        else:
            hand = game.deal() if isinstance(game, Drill) else game.deal_to_decide()
        console.rule(f"hand {number} of {hands}")
        stays = _play(console, hand, memory)
        verdicts += hand.verdicts
        if not stays:
            game.score.hands -= hand.your_turn
            break
    if as_json:
        score = game.score.as_dict()
        if not isinstance(game, Drill):
            del score["chips"]
        emit({"file": str(path), "side": game.name, "seed": seed, **score})
        return
    _print_score(console, game, verdicts)
    if memory is not None:
        console.print(memory.words(clock.now()), markup=False)


def _drill(path: Path, side: str | None, seed: int, device: str) -> Drill | PreflopDrill:
    """The drill of a file, whichever kind it is."""
    if str(path) == SHIPPED or file_kind(path) == PREFLOP:
        seat = None if side is None else side.lower()
        return PreflopDrill(PreflopSolution.load(path), seat=seat, seed=seed)
    from riverboat.holdem.spots.solved import load_spot

    solved = load_spot(path)
    solved.device = device
    seat_number = 0 if side is None else seat_of(solved.at(), side, "--player")
    return Drill(solved, side=seat_number, seed=seed)


def _play(console: Console, hand: DrillHand | PreflopHand, memory: Memory | None) -> bool:
    """One hand; whether the player stays."""
    if hand.again is not None and hand.again.mistakes:
        console.print("  Once more: you missed this decision before.")
    while hand.your_turn:
        _print_story(console, hand)
        action, looked_up = _ask(console, hand)
        if action is None:
            return False
        verdict = hand.act(action, looked_up=looked_up)
        _print_verdict(console, verdict, getattr(hand.drill, "unit", "chips"))
        if memory is not None:
            question, now = hand.question(verdict), clock.now()
            memory.note(question, verdict, now)
            console.print(f"  {again_words(memory.schedule_of(question), now)}", markup=False)
    _print_story(console, hand)
    if isinstance(hand, DrillHand):
        won = hand.won or 0.0
        other = "the opponent " if len(hand.combos) == 2 else ""
        console.print(f"You had {hand.cards}, {other}{hand.their_cards}: {won:+g} chips.")
    return True


def _print_story(console: Console, hand: DrillHand | PreflopHand) -> None:
    for line in hand.story:
        console.print(f"  {line}", markup=False)
    if not hand.your_turn:
        return
    if isinstance(hand, DrillHand):
        cursor = hand.cursor
        text = f"  pot {cursor.pot:g}, {cursor.stacks[hand.drill.side]:g} behind, you hold "
        board = cards_text(cursor)
    else:
        text = f": pot {hand.pot:g}, {hand.node.to_call:g} to call, you hold "
        board = Text(f"You are {hand.seat.upper()}")
    console.print(board, Text(text), Text(hand.cards, "bold"), sep="")


def _ask(console: Console, hand: DrillHand | PreflopHand) -> tuple[str | None, bool]:
    """The action that is typed, None where the player leaves; and whether a hint was asked for."""
    actions = hand.actions
    looked_up = False
    menu = "   ".join(f"[bold]{i}[/bold] {escape(action)}" for i, action in enumerate(actions, 1))
    while True:
        console.print(f"{menu}   [bold]?[/bold] hint   [bold]q[/bold] quit")
        try:
            typed = console.input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return None, looked_up
        if typed.lower() in ("q", "quit"):
            return None, looked_up
        if typed == "?":
            looked_up = True
            strategy, values = hand.hint()
            for action, share in strategy.items():
                value = "" if math.isnan(values[action]) else f"   EV {values[action]:z9.3f}"
                console.print(f"  {action:<16} {share:6.1%}{value}", markup=False)
            continue
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(actions):
            return actions[int(typed) - 1], looked_up
        try:
            return hand.named(typed), looked_up
        except RiverboatError as error:
            console.print(str(error), style="red", markup=False)


def _print_verdict(console: Console, verdict: HandVerdict, unit: str) -> None:
    mix = ", ".join(f"{escape(name)} {share:.0%}" for name, share in verdict.strategy.items())
    if verdict.right:
        console.print(f"  [green]right[/green]: the solution plays {mix}")
        return
    if not verdict.priced:
        console.print(f"  [red]wrong[/red]: the solution plays {mix}")
        return
    part = f" ({verdict.cost / verdict.pot:.1%} of the pot)" if unit != "prizes" else ""
    console.print(
        f"  [red]costs {verdict.cost:.2f} {unit}[/red]{part}: {escape(verdict.best)} is best;"
        f" the solution plays {mix}"
    )


def _print_score(
    console: Console, game: Drill | PreflopDrill, verdicts: Sequence[HandVerdict]
) -> None:
    score, unit = game.score, getattr(game, "unit", "chips")
    console.rule("score")
    if not score.tally.asked:
        console.print("No decision was made.")
        return
    console.print(
        f"{score.hands} hands, {score.tally.asked} decisions, {score.tally.right} right"
        f" ({score.tally.right / score.tally.asked:.0%})"
    )
    console.print(
        f"lost by mistakes: {score.tally.lost:.2f} {unit},"
        f" {score.tally.lost / max(1, score.hands):.2f} per hand"
    )
    if isinstance(game, Drill):
        console.print(f"result with luck: {score.chips:+z.2f} chips")
    worst = max((v for v in verdicts if v.scored), key=lambda verdict: verdict.cost)
    if not worst.right:
        console.print(
            f"dearest: {worst.action} at {worst.node}, {worst.cost:.2f} {unit}"
            f" ({worst.best} is best)",
            markup=False,
        )
