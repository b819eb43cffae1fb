"""Curves drawn by the server: where their axes end."""

import re

import pytest

from riverboat.web.app.plots import Curve, line_plot


@pytest.mark.parametrize(("last", "end"), [(1000, "1,000"), (5000, "10,000"), (1, "10")])
def test_a_logarithmic_axis_ends_at_the_power_that_holds_its_last_point(last, end):
    curve = Curve("one", [(1, 0.25), (last, 0.75)])
    plot = line_plot([curve], x="games", y="reward", log_x=True)
    powers = re.findall(r">(10*|[\d,]+000)</text>", plot)
    assert max(powers, key=lambda text: int(text.replace(",", ""))) == end
