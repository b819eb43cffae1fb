"""Profiles of one's own: pasted TOML, kept in a file whose name an address can carry."""

from __future__ import annotations

import hashlib
from pathlib import Path

from riverboat.errors import StorageError, UsageError
from riverboat.runtime.storage import atomic_write, read_text
from riverboat.strategies.profiles import Profile, shipped_profiles
from riverboat.web.app.problems import about
from riverboat.web.site import Site

OWN = "own-"
"""What begins the name of a profile of one's own; alone it stands for the text next to it."""
MAX_TOML = 20_000


def own_profile(site: Site, profile: str) -> str:
    """The TOML of a profile of one's own by its name in addresses; empty where there is none."""
    if not profile.startswith(OWN) or not profile.removeprefix(OWN).isalnum():
        return ""
    try:
        return read_text(_folder(site) / f"{profile}.toml", MAX_TOML)
    except StorageError:
        return ""


def check_own(profile: str, toml: str) -> str:
    """The name of a profile: as it is, or that of a TOML text, which is read first."""
    if not toml.strip() and profile != OWN:
        return profile
    with about("toml"):
        if profile not in ("", OWN):
            raise UsageError("Give the name of a profile or its TOML, not both.")
        Profile.from_toml(toml)
    return f"{OWN}{hashlib.sha256(toml.encode()).hexdigest()[:16]}"


def keep_own(site: Site, profile: str, toml: str) -> None:
    """Keep a text that was read; the other profiles are known by their names."""
    if toml.strip() and profile.startswith(OWN):
        _folder(site).mkdir(parents=True, exist_ok=True)
        atomic_write(_folder(site) / f"{profile}.toml", toml)


def check_profile(site: Site, profile: str, toml: str) -> str:
    """The TOML of a profile of one's own, empty for a known one; an unknown one is refused."""
    if profile.startswith(OWN):
        text = toml or own_profile(site, profile)
        if not text:
            raise UsageError("There is no such profile any more; paste its TOML again.")
        return text
    if profile not in shipped_profiles():
        known = ", ".join(shipped_profiles())
        raise UsageError(f"There is no profile called {profile[:40]!r}; try one of {known}.")
    return ""


def _folder(site: Site) -> Path:
    return site.settings.folder / ".web" / "profiles"
