"""The page of the API: every address, what it takes and what it answers."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from riverboat.web.app.templates import render

router = APIRouter()


@router.get("/api")
def api_page(request: Request) -> HTMLResponse:
    """Show the API as its OpenAPI description has it."""
    schema: dict[str, Any] = request.app.openapi()
    by_tag: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            operation = {"path": path, "method": method.upper(), **operation}
            operation["takes"] = [*_parameters(operation), *_fields(schema, _body(operation))]
            answer = operation["responses"].get("200", {})
            operation["answer"] = _fields(schema, _content(answer))
            by_tag.setdefault(operation.get("tags", ["Other"])[0], []).append(operation)
    return render(request, "api.html", title="API", place="/api", by_tag=by_tag)


@router.api_route("/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def unknown(path: str) -> None:
    """Refuse an address that the API does not have."""
    raise HTTPException(404, "The API has no such address and method; /api lists them.")


def _parameters(operation: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, type and description of each parameter of the address."""
    return [
        (each["name"], _type(each["schema"]), _words(each["schema"], each.get("description", "")))
        for each in operation.get("parameters", [])
    ]


def _body(operation: dict[str, Any]) -> dict[str, Any]:
    return _content(operation.get("requestBody", {}))


def _content(part: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = part.get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _fields(schema: dict[str, Any], part: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, type and description of the fields of an object, or of the objects of a list."""
    part = part.get("items", part)
    model = schema.get("components", {}).get("schemas", {}).get(_name(part), part)
    return [
        (name, _type(each), _words(each, each.get("description", "")))
        for name, each in model.get("properties", {}).items()
    ]


def _words(part: dict[str, Any], words: str) -> str:
    default = part.get("default")
    return f"{words} Default: {default}.".strip() if default not in (None, "") else words


def _name(part: dict[str, Any]) -> str:
    return str(part.get("$ref", "")).rpartition("/")[2]


def _type(part: dict[str, Any]) -> str:
    """A type in words."""
    if "anyOf" in part:
        return " or ".join(_type(each) for each in part["anyOf"])
    if "enum" in part:
        return " or ".join(map(str, part["enum"]))
    if "items" in part:
        return f"list of {_type(part['items'])}"
    if "$ref" in part:
        return _name(part)
    return str(part.get("format", part.get("type", "any"))).replace("null", "nothing")
