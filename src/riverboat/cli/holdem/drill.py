"""`riverboat holdem drill`: play a solved spot against its solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from riverboat.cli.console import emit, output
from riverboat.cli.holdem.spot_view import SolvedFile, cards_text, seat_of
from riverboat.cli.options import DeviceOption, Hands, JsonFlag, Seed, chosen_device, option
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.solve import load_solved

if TYPE_CHECKING:
    from riverboat.holdem.spots.reading.drill import Drill, DrillHand, SpotVerdict

app = typer.Typer()


@app.command("drill")
def drill(
    path: SolvedFile,
    side: Annotated[
        str | None, option("Your seat: oop or ip, or a player's name; the first if left out.")
    ] = None,
    hands: Hands = 10,
    seed: Seed = 0,
    device: DeviceOption = "cpu",
    as_json: JsonFlag = False,
) -> None:
    """Play a solved spot against its solution; each decision is priced, mistakes come again.

    Type an action's number or name, ? for what the solution does (such a decision is not counted),
    q to leave. Streets that the file leaves out are solved when you come to them, on the --device.

    Examples: riverboat example 3bet.toml ·
    riverboat holdem solve 3bet.toml --out 3bet.rb ·
    riverboat holdem drill 3bet.rb --side ip --hands 20
    """
    from riverboat.holdem.spots.reading.drill import Drill

    solved = load_solved(path)
    solved.device = chosen_device(device, quiet=as_json)
    root = solved.at()
    seat = 0 if side is None else seat_of(root, side, "--side")
    game = Drill(solved, side=seat, seed=seed)
    console = Console(stderr=True, highlight=False) if as_json else output()
    verdicts: list[SpotVerdict] = []
    for number in range(1, hands + 1):
        console.rule(f"hand {number} of {hands}")
        hand = game.deal()
        stays = _play(console, hand)
        verdicts += hand.verdicts
        if not stays:
            game.score.hands -= hand.won is None
            break
    if as_json:
        emit({"file": str(path), "side": root.names[seat], "seed": seed, **game.score.as_dict()})
        return
    _tell_score(console, game, verdicts)


def _play(console: Console, hand: DrillHand) -> bool:
    """One hand; whether the player stays."""
    if hand.again is not None:
        console.print("  Once more: you missed this decision before.")
    while hand.your_turn:
        _tell_story(console, hand)
        action, looked = _ask(console, hand)
        if action is None:
            return False
        verdict = hand.act(action, looked=looked)
        _tell_verdict(console, verdict)
    _tell_story(console, hand)
    won = hand.won or 0.0
    other = "the opponent " if len(hand.combos) == 2 else ""
    console.print(f"You had {hand.cards}, {other}{hand.their_cards}: {won:+g} chips.")
    return True


def _tell_story(console: Console, hand: DrillHand) -> None:
    for line in hand.story:
        console.print(f"  {line}")
    if hand.your_turn:
        cursor = hand.cursor
        stack = cursor.stacks[hand.drill.side]
        text = f"  pot {cursor.pot:g}, {stack:g} behind, you hold "
        console.print(cards_text(cursor), Text(text), Text(hand.cards, "bold"), sep="")


def _ask(console: Console, hand: DrillHand) -> tuple[str | None, bool]:
    """The action that is typed, None where the player leaves; and whether a hint was asked for."""
    actions = hand.cursor.actions
    looked = False
    menu = "   ".join(f"[bold]{i}[/bold] {action}" for i, action in enumerate(actions, 1))
    while True:
        console.print(f"{menu}   [bold]?[/bold] hint   [bold]q[/bold] quit")
        try:
            typed = console.input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return None, looked
        if typed.lower() in ("q", "quit"):
            return None, looked
        if typed == "?":
            looked = True
            place = hand.cursor.figures(hand.cards, hand.drill.side)
            for action, share in (place.strategy or {}).items():
                value = (place.action_evs or {})[action]
                console.print(f"  {action:<16} {share:6.1%}   EV {value:z9.3f}")
            continue
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(actions):
            return actions[int(typed) - 1], looked
        try:
            after = hand.cursor.play(typed)
            return actions[hand.cursor.node.children.index(after.node.index)], looked
        except RiverboatError as error:
            console.print(str(error), style="red")


def _tell_verdict(console: Console, verdict: SpotVerdict) -> None:
    mix = ", ".join(f"{name} {share:.0%}" for name, share in verdict.strategy.items())
    if verdict.right:
        console.print(f"  [green]right[/green]: the solution plays {mix}")
        return
    console.print(
        f"  [red]costs {verdict.cost:.2f} chips[/red] ({verdict.cost / verdict.pot:.1%} of the"
        f" pot): {verdict.best} is best; the solution plays {mix}"
    )


def _tell_score(console: Console, game: Drill, verdicts: Sequence[SpotVerdict]) -> None:
    score = game.score
    console.rule("score")
    if not score.tally.asked:
        console.print("No decision was made.")
        return
    console.print(
        f"{score.hands} hands, {score.tally.asked} decisions, {score.tally.right} right"
        f" ({score.tally.right / score.tally.asked:.0%})"
    )
    console.print(
        f"lost by mistakes: {score.tally.lost:.2f} chips,"
        f" {score.tally.lost / max(1, score.hands):.2f} per hand"
    )
    console.print(f"result with luck: {score.chips:+z.2f} chips")
    worst = max(verdicts, key=lambda verdict: verdict.cost)
    if not worst.right:
        console.print(
            f"dearest: {worst.action} at {worst.node}, {worst.cost:.2f} chips"
            f" ({worst.best} is best)"
        )
