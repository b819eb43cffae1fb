"""Two nodes of solved spots next to each other: differences in sum, by class, group and hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.web.api.comparable_spots import (
    SolvedSide,
    comparable,
    find_side,
    side_of_run,
    words_of_side,
)
from riverboat.web.api.spot_nodes import START
from riverboat.web.api.spots import NodeId, plain, player_number, solved_spot
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.holdem.open_spots import open_spot
from riverboat.web.site import AskedSite

if TYPE_CHECKING:
    from riverboat.holdem.spots.node_comparison import NodeComparison

router = APIRouter(prefix="/holdem/spots", tags=["Hold'em spots"], responses=REFUSED)
MAX_HANDS = 1326
OtherText = Annotated[
    str,
    Query(
        alias="with",
        max_length=200,
        description="Another solved spot of the server, or a file of the library; none: this one.",
    ),
]


class ComparableSpot(BaseModel):
    """A solved spot that another can be compared with."""

    name: str = Field(description="What `with` takes.")
    words: str = Field(description="What it is, and in what it differs.")


def spot_comparison(
    first: tuple[Path, int],
    node: str,
    second: tuple[Path, int],
    second_node: str,
    player: int,
    find: str,
) -> NodeComparison:
    """Compare two nodes. `first` and `second` are files with their times of change."""
    from riverboat.holdem.spots.node_comparison import check_comparable, compare_nodes

    with about("node"):
        one = open_spot(first[0]).at(node)
    with about("second"):
        two = open_spot(second[0]).at(second_node)
    with about("with"):
        check_comparable(one, two)
    with about("find"):
        return compare_nodes(one, two, find or None, player=player)


def file_of(side: SolvedSide) -> tuple[Path, int]:
    """The file of a side, as `spot_comparison` takes it."""
    return side.path, side.changed


@router.get("/{name}/comparable")
def list_comparable(name: str, site: AskedSite) -> list[ComparableSpot]:
    """List the solved spots of the same board, what was there before locks first."""
    one = side_of_run(solved_spot(site, name))
    return [
        ComparableSpot(name=side.name, words=words_of_side(one, side))
        for side in comparable(site, one)
    ]


@router.get("/{name}/compare")
def compare(
    name: str,
    site: AskedSite,
    node: NodeId = START,
    other: OtherText = "",
    second: Annotated[str, Query(max_length=400, description="Its node; none: the same.")] = "",
    player: str = "",
    find: Annotated[str, Query(max_length=2000, description="Such as: flush draw without A")] = "",
    sort: str | None = None,
    limit: Annotated[int | None, Query(ge=1, le=MAX_HANDS, description="List hands.")] = None,
) -> dict[str, Any]:
    """Compare two nodes: differences are the second less the first."""
    run = solved_spot(site, name)
    one = side_of_run(run)
    with about("with"):
        two = find_side(site, other) if other else one
        who = player_number(run, node, player)
        compared = spot_comparison(file_of(one), node, file_of(two), second or node, who, find)
    with about("sort"):
        compared.check_order(sort)
    facts: dict[str, Any] = plain(compared.as_dict(sort, limit))
    return {"files": [one.name, two.name], **facts}
