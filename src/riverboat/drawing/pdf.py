"""Pictures of rectangles and words as a PDF, one on each page, without another library.

It takes what drawing/svg.py writes for grids: `rect`, `text`, `g` with a translation, and pictures
inside pictures. Other elements are refused, so that nothing is left out unnoticed. Words are set in
Helvetica, which every reader has; letters outside Latin-1 become question marks.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zlib

from riverboat.drawing.palette import hex_colour
from riverboat.errors import ParameterError

_FIRST_PAGE = 5  # Number of the first page's object: catalog, pages and two fonts come before
_SPACE = "{http://www.w3.org/2000/svg}"
_NARROW = {".": 0.278, ",": 0.278, "-": 0.333, " ": 0.278, "i": 0.222, "l": 0.222, "j": 0.222}
"""Widths of Helvetica's letters that differ most from a digit's, 0.556."""


def pdf_of_svg(*pictures: str) -> bytes:
    """The bytes of a PDF with a page for each picture, as large as the picture, in points."""
    fonts = [
        b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name
        for name in (b"Helvetica", b"Helvetica-Bold")
    ]
    kids = b" ".join(b"%d 0 R" % (_FIRST_PAGE + 2 * page) for page in range(len(pictures)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pictures)),
        *fonts,
    ]
    for picture in pictures:
        root = ET.fromstring(picture)
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        lines: list[str] = []
        _draw(root, 0.0, 0.0, height, lines)
        stream = zlib.compress("\n".join(lines).encode("latin-1", "replace"))
        objects += [
            b"<< /Type /Page /Parent 2 0 R /Contents %d 0 R /MediaBox [0 0 %g %g] /Resources"
            b" << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % (len(objects) + 2, width, height),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def _draw(element: ET.Element, x: float, y: float, height: float, lines: list[str]) -> None:
    """Add an element's drawing, moved by (x, y); PDF counts from the page's foot."""
    for child in element:
        name = child.tag.removeprefix(_SPACE)
        if name in ("g", "svg"):
            moved = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", child.get("transform", ""))
            dx, dy = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
            _draw(child, x + dx, y + dy, height, lines)
        elif name == "rect":
            _rect(child, x, y, height, lines)
        elif name == "text":
            _text(child, x, y, height, lines)
        elif name != "title":
            raise ParameterError(f"A PDF is made of rectangles and words, not of {name!r}.")


def _rect(element: ET.Element, x: float, y: float, height: float, lines: list[str]) -> None:
    left, top, wide, high = (float(element.get(key, 0)) for key in ("x", "y", "width", "height"))
    place = f"{x + left:g} {height - y - top - high:g} {wide:g} {high:g} re"
    lines.append(f"{_ink(element.get('fill', 'black'))} rg {place} f")
    if element.get("stroke"):
        lines.append(f"{_ink(element.get('stroke', 'black'))} RG 1 w {place} S")


def _text(element: ET.Element, x: float, y: float, height: float, lines: list[str]) -> None:
    size, words = float(element.get("font-size", 12)), element.text or ""
    left, base = float(element.get("x", 0)), float(element.get("y", 0))
    if element.get("text-anchor") == "end":
        left -= size * sum(_NARROW.get(letter, 0.556) for letter in words)
    font = "F2" if element.get("font-weight") == "bold" else "F1"
    safe = re.sub(r"([\\()])", r"\\\1", words)
    put = f"BT /{font} {size:g} Tf {x + left:g} {height - y - base:g} Td"
    if element.get("stroke"):  # The halo that keeps words readable on dark colours, drawn first
        width = float(element.get("stroke-width", 1))
        lines.append(
            f"{_ink(element.get('stroke', 'white'))} RG {width:g} w 1 j {put} 1 Tr ({safe}) Tj ET"
        )
    lines.append(f"{_ink(element.get('fill', 'black'))} rg {put} 0 Tr ({safe}) Tj ET")


def _ink(colour: str) -> str:
    """A colour as PDF has it: three numbers from 0 to 1."""
    named = {"white": "#ffffff", "black": "#000000"}
    red, green, blue = hex_colour(named.get(colour, colour))
    return f"{red / 255:.3g} {green / 255:.3g} {blue / 255:.3g}"
