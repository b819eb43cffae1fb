"""A contract for import-linter: a module named _x is private to the folder it stands in.

`lint-imports` finds it by `contract_types` in pyproject.toml.
"""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class PrivateModules(Contract):
    """Modules outside a folder import none of its modules whose names begin with an underscore."""

    type_name = "private"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Collect every import of a private module from outside its folder."""
        broken = sorted(
            (importer, imported)
            for imported in graph.modules
            if (folder := private_folder(imported)) is not None
            for importer in graph.find_modules_that_directly_import(imported)
            if not f"{importer}.".startswith(f"{folder}.")
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print a line for each of them."""
        for importer, imported in check.metadata["broken"]:
            output.print_error(f"{importer} imports {imported}")


def private_folder(module: str) -> str | None:
    """The folder to which a module is private; None if any module may import it."""
    parts = module.split(".")
    for depth, part in enumerate(parts):
        if part.startswith("_") and not part.startswith("__"):
            return ".".join(parts[:depth])
    return None
