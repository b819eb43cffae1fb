"""Kernels of the core are described: every argument has a type, many come as bundles."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
ROOMS = ("cards", "trees", "strategies", "evaluation", "solvers")
KERNELS = sorted(
    [path for room in ROOMS for path in (SOURCE / room).glob("*_kernels.py")]
    + list(SOURCE.glob("*_kernels.py"))
    + [SOURCE / "holdem" / "spots" / "engine" / "pass_kernels.py"]
)
MOST = 10
"""Positional arguments; more are bundled, except in functions that are put in place."""


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_every_argument_of_a_kernel_has_a_type(path: Path) -> None:
    text = path.read_text()
    assert "# mypy:" not in text
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = [*function.args.args, *function.args.kwonlyargs]
        decorators = " ".join(map(ast.unparse, function.decorator_list))
        assert function.returns is not None, function.name
        for argument in arguments:
            assert argument.annotation is not None, f"{function.name}({argument.arg})"
            if "njit" in decorators:
                assert ast.unparse(argument.annotation) != "Any", f"{function.name}({argument.arg})"
        if "njit" in decorators and "forceinline" not in decorators:
            assert len(arguments) <= MOST, f"{function.name} takes {len(arguments)}"
