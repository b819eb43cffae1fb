"""ECharts options: curves on logarithmic axes, and a fan of bankrolls.

Colours are Okabe and Ito's; each curve has its own dash too, so that colour need not be seen.

A chart on a page whose curves change while one looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from riverboat.drawing.palette import action_colours

BETTING_WORDS = ("fold", "check", "call", "bet", "raise", "all-in")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f7f7f")
_DASHES = ("solid", "dashed", "dotted", [8, 3, 2, 3])
_GREY = "#767f8b"  # Read on white and on the dark panel alike, 4 : 1


def move_colours(labels: Sequence[str]) -> tuple[str, ...]:
    """A colour for each move of a decision: those of hold'em where the moves are bets."""
    if all(words.startswith(BETTING_WORDS) for words in labels):
        return action_colours(labels)
    return tuple(COLOURS[i % len(COLOURS)] for i in range(len(labels)))


def _axis(name: str, kind: str = "value", **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "name": name,
        "nameLocation": "middle",
        "nameGap": 28,
        "nameTextStyle": {"color": _GREY},
        "axisLabel": {"color": _GREY},
        "axisLine": {"lineStyle": {"color": _GREY}},
        "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.2}},
        "minorSplitLine": {"show": False},
        **more,
    }


def _exponents(log: bool) -> dict[str, Any]:
    """Powers of ten as 1e-5 on a logarithmic axis."""
    if not log:
        return {}
    form = "value => value.toExponential(0)"  # NiceGUI runs what a key with a colon holds
    return {"axisLabel": {"color": _GREY, ":formatter": form}}


def curve_options(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x: str,
    y: str,
    log: bool = True,
    log_x: bool | None = None,
    levels: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Named curves of points; `levels` are horizontal lines with a name."""
    kind = "log" if log else "value"
    series: list[dict[str, Any]] = []
    for i, (name, points) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        series.append(
            {
                "name": name,
                "type": "line",
                "showSymbol": len(points) < 40,
                "symbolSize": 5,
                "data": [list(point) for point in points],
                "lineStyle": {"color": colour, "width": 2.5, "type": _DASHES[i % len(_DASHES)]},
                "itemStyle": {"color": colour},
            }
        )
    if series and levels:
        series[0]["markLine"] = {
            "symbol": "none",
            "label": {"formatter": "{b}", "color": _GREY, "position": "insideStartTop"},
            "lineStyle": {"color": _GREY, "type": "dashed"},
            "data": [{"name": name, "yAxis": value} for name, value in levels.items()],
        }
    rows = max(1, (len(curves) + 1) // 2)  # Of the legend, on a phone
    return {
        "animation": False,
        "aria": {"enabled": True},
        "grid": {"left": 74, "right": 24, "top": 22 + 22 * rows, "bottom": 48},
        "legend": {"top": 4, "textStyle": {"color": _GREY}},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": _axis(x, "log" if (log if log_x is None else log_x) else "value", scale=True),
        "yAxis": _axis(y, kind, nameGap=56, scale=not log, **_exponents(log)),
        "series": series,
    }


def fan_options(
    rounds: Sequence[int], bands: Sequence[tuple[str, Sequence[float], Sequence[float]]]
) -> dict[str, Any]:
    """Bands (name, lower edge, upper edge), the widest first, one over the other."""
    series: list[dict[str, Any]] = []
    for i, (name, low, high) in enumerate(bands):
        middle = low == high
        common = {"type": "line", "showSymbol": False, "stack": f"band{i}", "silent": True}
        if middle:
            series.append(
                {
                    **common,
                    "name": name,
                    "data": list(low),
                    "lineStyle": {"color": COLOURS[1], "width": 2.5},
                    "itemStyle": {"color": COLOURS[1]},
                }
            )
            continue
        height = [above - below for below, above in zip(low, high, strict=True)]
        area = {"color": COLOURS[0], "opacity": 0.18 + 0.14 * i}
        hidden = {"opacity": 0}
        series.append({**common, "data": list(low), "lineStyle": hidden, "stackStrategy": "all"})
        series.append(
            {
                **common,
                "name": name,
                "data": height,
                "lineStyle": hidden,
                "areaStyle": area,
                "itemStyle": {"color": COLOURS[0], "opacity": 0.35 + 0.45 * i},
                "stackStrategy": "all",
            }
        )
    return {
        "animation": False,
        "aria": {"enabled": True},
        "grid": {"left": 66, "right": 24, "top": 44, "bottom": 48},
        "legend": {"top": 4, "data": [name for name, _, _ in bands], "textStyle": {"color": _GREY}},
        "xAxis": _axis("rounds", "category", data=list(rounds), boundaryGap=False),
        "yAxis": _axis("bets won", nameGap=46),
        "series": series,
    }


class LiveChart:
    """An ECharts picture of the options it is shown."""

    def __init__(self, options: dict[str, Any], height: int = 360) -> None:
        # A chart is drawn anew a moment after its window became narrower; until then it is cut.
        style = f"height: {height}px; width: 100%; overflow-x: clip"
        with ui.element("div").style(f"height: {height}px; width: 100%"):  # kept free until then
            self.element = ui.echart(options).style(style)
        # The chart may be measured before the page is laid out.
        ui.timer(0.2, self._fit, once=True)

    def _fit(self) -> None:
        self.element.run_chart_method("resize")

    def show(self, options: dict[str, Any]) -> None:
        self.element.options.clear()
        self.element.options.update(options)
        self.element.update()
