"""Answers to what cannot be done: a page with a sentence, or an object with it for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.app.templates import render


class Problem(BaseModel):
    """What is wrong with a field, or with the whole question where no field is named."""

    field: str | None = Field(description="The field that has to change.")
    message: str = Field(description="A sentence that says what to do.")


class Problems(BaseModel):
    """The answer to a question that cannot be answered."""

    problems: list[Problem]


REFUSED: dict[int | str, dict[str, Any]] = {422: {"model": Problems, "description": "Refused"}}
"""For the routes of the API: what a refusal looks like."""


class FieldError(UsageError):
    """A sentence about one field of a form."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@contextmanager
def about(field: str) -> Iterator[None]:
    """Whatever is refused inside was said in this field."""
    try:
        yield
    except FieldError:
        raise
    except RiverboatError as error:
        raise FieldError(field, str(error)) from error


def problems_of(error: Exception) -> list[Problem]:
    """The sentences of an error."""
    if isinstance(error, RequestValidationError):
        return [
            Problem(
                field=str(each["loc"][-1]) if len(each["loc"]) > 1 else None,
                message=f"{each['msg'].removeprefix('Value error, ')}.".replace("..", "."),
            )
            for each in error.errors()
        ]
    return [Problem(field=getattr(error, "field", None), message=str(error))]


def by_field(error: Exception) -> Mapping[str, str]:
    """Field → sentence, for a template; "" is the whole form."""
    return {problem.field or "": problem.message for problem in reversed(problems_of(error))}


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _refused(request: Request, error: Exception) -> Response:
    found = Problems(problems=problems_of(error))
    if _is_api(request):
        return JSONResponse(found.model_dump(), 422)
    words = " ".join(problem.message for problem in found.problems)
    return render(request, "problem.html", 422, title="That cannot be done", words=words)


def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    detail = str(error.detail) if isinstance(error, HTTPException) else ""
    if _is_api(request):
        problem = Problem(field=None, message=f"{detail.rstrip('.')}.")
        return JSONResponse(Problems(problems=[problem]).model_dump(), status)
    title, words = "That cannot be done", detail
    if status == 404:
        title = "There is no such page"
        plain = detail in ("", "Not Found")
        words = "The address may be old, or have a letter too many." if plain else detail
    return render(request, "problem.html", status, title=title, words=words)


def _broken(request: Request, error: Exception) -> Response:
    words = "Something went wrong in Riverboat; the terminal has the details."
    if _is_api(request):
        problem = Problem(field=None, message=words)
        return JSONResponse(Problems(problems=[problem]).model_dump(), 500)
    return render(request, "problem.html", 500, title="That was our fault", words=words)


def add_problem_handlers(application: FastAPI) -> None:
    """Answer errors in sentences."""
    application.add_exception_handler(RiverboatError, _refused)
    application.add_exception_handler(RequestValidationError, _refused)
    application.add_exception_handler(HTTPException, _missing)
    application.add_exception_handler(Exception, _broken)
