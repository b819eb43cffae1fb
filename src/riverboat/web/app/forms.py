"""What a form of a page sent, as texts."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from riverboat.errors import UsageError
from riverboat.web.app.problems import about

MAX_TEXT = 2_000
"""Letters of a field; longer ones are refused."""


async def _posted(request: Request) -> dict[str, str]:
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Posted = Annotated[dict[str, str], Depends(_posted)]
"""The type of a route's argument that gets the fields of a form by their names."""


def number_in(form: dict[str, str], name: str, otherwise: int | None = None) -> int:
    """A whole number of a form; `otherwise` is that of an empty field."""
    text = form.get(name, "").strip()
    with about(name):
        if not text and otherwise is not None:
            return otherwise
        if not (text.isascii() and text.isdecimal() and len(text) < 16):
            raise UsageError(f"{text[:20]!r} is not a whole number." if text else "Write a number.")
    return int(text)
