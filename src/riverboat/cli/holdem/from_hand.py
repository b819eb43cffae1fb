"""`riverboat holdem from-hand`: a decision of a hand that was played, as a spot to solve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from riverboat.cli.console import emit, facts_table, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, count_option, option
from riverboat.cli.out_files import check_out
from riverboat.errors import UsageError
from riverboat.runtime.storage import atomic_write

if TYPE_CHECKING:
    from riverboat.holdem.review.hand_spots import HandDecision

app = App()


@app.command("from-hand")
def from_hand(
    path: Annotated[Path, argument("PokerStars' text or PHH.", metavar="HANDS")],
    hand: Annotated[int, count_option("--hand", "Number of the hand in the file.", min=1)] = 1,
    decision: Annotated[
        int | None,
        count_option("--decision", "Number of the decision; without it they are listed.", min=1),
    ] = None,
    out: Annotated[
        Path | None, option("Write the spot here, as TOML; default: print it.", metavar="FILE")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a spot of a decision in a hand that was played.

    The spot begins with the street of the decision: its board, pot and stacks, the bets that were
    made as sizes, and ranges to start from. Two or three players may be left. Ranges follow the
    shipped blueprint of two players, or before the flop the shipped book of six.

    \b
    Examples:
    riverboat example hands.phhs
    riverboat holdem from-hand hands.phhs --hand 5
    riverboat holdem from-hand hands.phhs --hand 5 --decision 8 --out river.toml
    """
    from riverboat.holdem.histories.files import read_hand
    from riverboat.holdem.review.hand_spots import hand_decisions, spot_from_hand

    if out is not None and decision is None:
        raise UsageError("--out writes the spot of one decision; give --decision too.")
    check_out(out, ("toml",))
    found = read_hand(path, hand)
    if decision is None:
        decisions = hand_decisions(found)
        if not decisions:
            spot_from_hand(found)  # says why there is none
        if as_json:
            emit({"hand": hand, "decisions": [vars(one) for one in decisions]})
        else:
            _list(decisions)
        return
    made = spot_from_hand(found, decision)
    if out is not None:
        atomic_write(out, made.spot.to_toml())
    if as_json:
        emit({**made.as_dict(), "out": None if out is None else str(out)})
        return
    if out is None:
        output().print(made.spot.to_toml(), end="", markup=False, soft_wrap=True)
        return
    held = f" with {made.hand}" if made.hand else ""
    output().print(
        f"{out}: {made.player.upper()} acts at {made.node}{held}. {made.source}",
        markup=False,
        soft_wrap=True,
    )


def _list(decisions: list[HandDecision]) -> None:
    table = facts_table()
    for one in decisions:
        to_call = f", {one.to_call.normalize():,f} to call" if one.to_call else ""
        said = one.problem or f"pot {one.pot.normalize():,f}{to_call}: {one.taken}"
        who = f"{one.player} ({one.seat}){' ' + one.cards if one.cards else ''}"
        table.add_row(f"{one.number}", f"{one.street} {one.board}, {who}, {said}")
    output().print(table)
