"""Optional libraries: loaded when they are needed, and missed with a sentence that helps."""

from __future__ import annotations

import importlib
from typing import Any

from riverboat.errors import UsageError, how_to_install


def library(module: str, title: str, *, extra: str = "interop") -> Any:
    """The module of another package; UsageError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = error.name or module
        what = title if module.startswith(missing) else f"{title} (it needs {missing})"
        raise UsageError(
            f"{what} is not installed; install it with: {how_to_install(extra)}."
        ) from error
