"""Our own SVG pictures as a PDF, one on each page, without another library.

Words are set in Helvetica, which every reader has; letters outside Windows-1252 become question
marks. Which elements may be in a picture is said in svg_shapes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

from riverboat.drawing._svg_shapes import Curve, Rect, Shape, Words, read_svg
from riverboat.drawing.palette import hex_colour

_FIRST_PAGE = 5  # Number of the first page's object: catalog, pages and two fonts come before
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
        width, height, shapes = read_svg(picture)
        lines = "\n".join(_lines(shapes, height))
        stream = zlib.compress(lines.encode("cp1252", "replace"))
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


def _lines(shapes: Sequence[Shape], height: float) -> Iterator[str]:
    """The drawing in PDF's operators; PDF counts from the page's foot."""
    for shape in shapes:
        if isinstance(shape, Rect):
            y = height - shape.y - shape.height
            place = f"{shape.x:g} {y:g} {shape.width:g} {shape.height:g} re"
            yield f"{_ink(shape.fill)} rg {place} f"
            if shape.stroke:
                yield f"{_ink(shape.stroke)} RG {shape.stroke_width:g} w {place} S"
        elif isinstance(shape, Curve):
            points = [f"{x:g} {height - y:g}" for x, y in shape.points]
            stroke = f"{_ink(shape.stroke)} RG {shape.stroke_width:g} w"
            yield f"{stroke} {points[0]} m {' '.join(points[1:])} c S"
        else:
            yield from _text(shape, height)


def _text(shape: Words, height: float) -> Iterator[str]:
    wide = shape.size * sum(_NARROW.get(letter, 0.556) for letter in shape.words)
    left = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * wide
    font = "F2" if shape.bold else "F1"
    safe = re.sub(r"([\\()])", r"\\\1", shape.words.replace("\N{MINUS SIGN}", "-"))
    put = f"BT /{font} {shape.size:g} Tf {left:g} {height - shape.y:g} Td"
    if shape.stroke:  # A halo
        yield f"{_ink(shape.stroke)} RG {shape.stroke_width:g} w 1 j {put} 1 Tr ({safe}) Tj ET"
    yield f"{_ink(shape.fill)} rg {put} 0 Tr ({safe}) Tj ET"


def _ink(colour: str) -> str:
    """A colour as PDF has it: three numbers from 0 to 1."""
    red, green, blue = hex_colour(colour)
    return f"{red / 255:.3g} {green / 255:.3g} {blue / 255:.3g}"
