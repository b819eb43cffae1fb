"""A chart on a page whose curves change while one looks."""

from __future__ import annotations

from typing import Any

from nicegui import ui

__all__ = ["LiveChart"]


class LiveChart:
    """An ECharts picture of the options it is shown."""

    def __init__(self, options: dict[str, Any], height: int = 360) -> None:
        # A chart is drawn anew a moment after its window became narrower; until then it is cut.
        style = f"height: {height}px; width: 100%; overflow-x: clip"
        self.element = ui.echart(options).style(style)
        # The chart may be measured before the page is laid out.
        ui.timer(0.2, self._fit, once=True)

    def _fit(self) -> None:
        self.element.run_chart_method("resize")

    def show(self, options: dict[str, Any]) -> None:
        self.element.options.clear()
        self.element.options.update(options)
        self.element.update()
