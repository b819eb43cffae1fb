"""Charts as text, CSV, SVG, HTML and PNG, all from the same cells."""

import csv
import io
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from riverboat.blackjack.chart_drawing import (
    LEGEND,
    chart_csv,
    chart_html,
    chart_lines,
    chart_svg,
    chart_text,
    panels,
)
from riverboat.blackjack.charts import COLOURS, FIRST_HARD, UPS, published_chart
from riverboat.blackjack.rules import PRESETS, rules_from

RULES = rules_from("vegas-6d-h17")
CHART = published_chart(RULES)


def codes_of(chart):
    return [code for panel in panels(chart) for _, codes in panel.rows for code in codes]


@pytest.mark.parametrize("name", PRESETS)
def test_text_fits_eighty_columns_and_has_every_cell(name):
    rules = PRESETS[name]
    chart = published_chart(rules)
    text = chart_text(chart, rules, "a note")
    assert max(map(len, text.splitlines())) <= 80
    assert "a note" in text
    rows = {line.split()[0]: line.split()[1:11] for line in text.splitlines() if line.strip()}
    assert rows["16"] == [chart.hard[16 - FIRST_HARD][UPS.index(up)] for up in "23456789TA"]
    for code in set(codes_of(chart)):
        assert LEGEND[code] in text


def test_spans_carry_the_code_of_their_colour():
    spans = [span for line in chart_lines(CHART, RULES) for span in line]
    coloured = [code for text, code in spans if code and len(text) == 3]
    assert sorted(coloured) == sorted(codes_of(CHART))
    assert all(text.strip() == code for text, code in spans if code)


def test_rows_that_say_the_same_are_drawn_once():
    hard = panels(CHART)[0]
    labels = [label for label, _ in hard.rows]
    assert labels[0] == "18+"  # H17: 17 against an ace surrenders
    assert labels[-1] == "4–8"
    single = replace(CHART, hard=(("H",) * 10, *(("S",) * 10,) * 17))
    assert [label for label, _ in panels(single)[0].rows] == [
        "12+",
        *map(str, range(11, 4, -1)),
        "4",
    ]


def test_csv_has_every_row_of_the_chart():
    rows = list(csv.reader(io.StringIO(chart_csv(CHART))))
    assert rows[0] == ["table", "hand", *"23456789TA"]
    assert len(rows) == 1 + 18 + 10 + 10
    found = {(table, hand): codes for table, hand, *codes in rows[1:]}
    assert found["hard", "16"] == ["S"] * 5 + ["H", "H", "Rh", "Rh", "Rh"]
    assert found["soft", "18"] == ["Ds"] * 5 + ["S", "S", "H", "H", "H"]
    assert found["pair", "88"] == ["P"] * 9 + ["Rp"]


def test_svg_is_well_formed_and_has_every_cell():
    root = ElementTree.fromstring(chart_svg(CHART, RULES, "worth < nothing & all"))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "worth < nothing & all" in texts
    fills = [node.get("fill") for node in root.iter("{http://www.w3.org/2000/svg}rect")][1:]
    cells = codes_of(CHART)
    assert sorted(fills) == sorted(COLOURS[code] for code in [*cells, *set(cells)])


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.cells = []

    def handle_starttag(self, tag, attrs):
        if tag == "td":
            self.cells.append(dict(attrs)["class"])


def test_html_has_every_cell_and_keeps_its_colours_on_paper():
    page = chart_html(CHART, RULES, "a < b")
    parser = Cells()
    parser.feed(page)
    assert parser.cells == codes_of(CHART)
    assert "print-color-adjust: exact" in page
    assert "a &lt; b" in page
