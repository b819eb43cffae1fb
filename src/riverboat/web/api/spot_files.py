"""Spots as files: opened from what was uploaded or pasted, and written for other programs."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from riverboat.cards.card import cards_text
from riverboat.errors import FileFormatError, StorageError, UsageError
from riverboat.holdem.spots.spot import Spot
from riverboat.web.api.spots import MAX_TOML, found_spot, solved_spot
from riverboat.web.app.pasted import PastedTexts
from riverboat.web.app.problems import REFUSED
from riverboat.web.holdem.spot_runs import SpotRun, check_shown
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/holdem/spots", tags=["Hold'em spots"], responses=REFUSED)
TextForm = Literal["toml", "pio"]
SpotForm = Literal["toml", "pio", "rb"]
ENDINGS = {"toml": ".toml", "pio": ".txt", "rb": ".rb"}
"""The endings of files: TOML, PioSOLVER's script, a solution."""
SOLVED_START = b"{"
"""A solution's file begins with eight bytes of a length and then its header in JSON."""
CHUNK = 1 << 20


@dataclass(frozen=True)
class OpenedText:
    """A text that was opened: what it holds, and its name among those that are kept."""

    name: str
    kind: Literal["spot", "hands"]


def pasted_texts(site: Site) -> PastedTexts:
    """The texts that were pasted."""
    return PastedTexts(site.settings.folder / ".web" / "pasted")


def open_text(site: Site, text: str) -> OpenedText:
    """Keep a text that is a spot or has hands that were played; what is neither is refused."""
    if is_hands(text):
        return OpenedText(pasted_texts(site).keep(text), "hands")
    read_spot(text)
    return OpenedText(pasted_texts(site).keep(text), "spot")


def is_hands(text: str) -> bool:
    """Whether a text seems to hold played hands rather than a spot."""
    lines = text.splitlines()[:200]
    return any(
        line.startswith("PokerStars") or line.replace(" ", "").startswith("variant=")
        for line in (line.strip().lstrip("\ufeff") for line in lines)
    )


def read_spot(text: str) -> Spot:
    """The spot of a text, TOML or a script of PioSOLVER, that the pages can show."""
    if not text.strip():
        raise UsageError("Choose a file, or paste a spot.")
    if len(text) > MAX_TOML:
        raise UsageError(f"A spot has at most {MAX_TOML:,} characters.")
    spot = Spot.from_toml(text)
    check_shown(spot)
    return spot


def open_upload(site: Site, name: str, stream: BinaryIO) -> SpotRun | OpenedText:
    """Open a file that was uploaded: a solution, a spot or hands, told apart by their bytes."""
    start = stream.read(CHUNK)
    if not start:
        raise FileFormatError(f"{shown(name)} is empty.")
    if start[8:9] == SOLVED_START and b"\0" in start[:8]:
        return _solution(site, name, start, stream)
    data = start + stream.read(4 * MAX_TOML + CHUNK)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if any(c < " " and c not in "\t\r\n\f" for c in text):
        raise FileFormatError(
            f"{shown(name)} is none of these: a spot in TOML, a script of PioSOLVER, a solved spot"
            " (.rb)."
        )
    return open_text(site, text)


def _solution(site: Site, name: str, start: bytes, stream: BinaryIO) -> SpotRun:
    """A solved spot as one of the server's; the same bytes are always the same spot."""
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solved.rb"
        try:
            with path.open("wb") as out:
                part = start
                while part:
                    digest.update(part)
                    out.write(part)
                    part = stream.read(CHUNK)
            return site.spot_runs.take_in(path, digest.hexdigest()[:16], label_of(name))
        except FileFormatError as error:
            raise FileFormatError(str(error).replace(str(path), shown(name))) from error
        except OSError as error:
            raise StorageError(f"{shown(name)} cannot be kept: {error.strerror}.") from error


def shown(name: str) -> str:
    """A file's name as messages show it."""
    plain = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in plain if c.isprintable())[:60] or "The file"


def label_of(name: str) -> str:
    """The name of a spot that came as a file."""
    return shown(name).removesuffix(".rb")[:60]


def file_name(spot: Spot, label: str, form: SpotForm) -> str:
    """What a file is called: as the spot, or by its board."""
    plain = "".join(c if c.isalnum() or c in " -_." else "-" for c in label).strip(" .-")
    return f"{plain or 'spot-' + cards_text(spot.board)}{ENDINGS[form]}"


def spot_text(spot: Spot, form: TextForm) -> str:
    """A spot as a text for another program."""
    return spot.to_toml() if form == "toml" else spot.to_pio_script()


def download(name: str, body: str) -> Response:
    """A text that a browser keeps as a file."""
    return Response(body, media_type="text/plain; charset=utf-8", headers=_as_file(name))


def _as_file(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}


def spot_file(site: Site, name: str, form: SpotForm) -> Response:
    """A spot of the server as a file."""
    if form == "rb":
        run = solved_spot(site, name)
        headers = _as_file(file_name(run.spot, run.label, form))
        return FileResponse(run.path, media_type="application/octet-stream", headers=headers)
    run = found_spot(site, name)
    return download(file_name(run.spot, run.label, form), spot_text(run.spot, form))


@router.get("/{name}/file/{form}")
def get_file(name: str, form: SpotForm, site: AskedSite) -> Response:
    """Return a spot as TOML, as a script of PioSOLVER, or its solution."""
    return spot_file(site, name, form)
