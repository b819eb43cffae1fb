"""The tools of the server: twelve functions, each a thin call of what the package has.

A tool is a function of a Workshop and of typed arguments; pydantic makes the protocol's schemas
of them. Its docstring is what a model reads. It runs in a process that can be ended.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from riverboat.assistants import _blackjack_tools, _card_tools, _game_tools, _holdem_tools
from riverboat.assistants._answers import Answer
from riverboat.errors import UnknownNameError, UsageError, did_you_mean

MAX_FAULTS = 3  # Faults of a call that its refusal names
_WRONG_TYPE = (
    "bool_type", "bool_parsing", "int_type", "int_parsing", "float_type", "float_parsing",
)  # fmt: skip


@dataclass(frozen=True)
class Tool:
    """A tool: its function, its title, and whether it may take long."""

    function: Callable[..., Answer]
    title: str
    heavy: bool = False

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """What it does, in a sentence."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function, eval_str=True)

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """Its arguments as a model; those that it does not have are refused."""
        fields: dict[str, Any] = {
            name: (one.annotation, ... if one.default is one.empty else one.default)
            for name, one in list(self._signature.parameters.items())[1:]
        }
        model: type[BaseModel] = create_model(
            f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields
        )
        return model

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return self.arguments.model_json_schema()

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of its figures."""
        model: type[Answer] = self._signature.return_annotation
        return model.model_json_schema(mode="serialization")

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments checked; what is wrong with them is said in a sentence.

        Some clients write a list or a table as a text of JSON; that is taken too.
        """
        values = dict(given)
        for name, value in given.items():
            field = self.arguments.model_fields.get(name)
            if isinstance(value, str) and field is not None and field.annotation is not str:
                with suppress(ValueError, RecursionError):
                    parsed = json.loads(value)
                    values[name] = parsed if isinstance(parsed, list | dict) else value
        try:
            model = self.arguments.model_validate(values)
        except ValidationError as error:
            raise UsageError(self._refusal(error)) from None
        return {name: getattr(model, name) for name in self.arguments.model_fields}

    def _refusal(self, error: ValidationError) -> str:
        """What is wrong with a call; the values, which may be long, are not repeated."""
        faults: dict[str, Any] = {}
        for fault in error.errors(include_url=False, include_context=False, include_input=False):
            where = ".".join(str(part) for part in fault["loc"][:2])[:60]
            # Of a value that may be of several types, the fault of the type that it has.
            if where not in faults or faults[where]["type"] in _WRONG_TYPE:
                faults[where] = fault
        words = []
        for where, fault in list(faults.items())[:MAX_FAULTS]:
            if fault["type"] == "extra_forbidden":
                words.append(
                    f"there is no argument {where!r}, {did_you_mean(where, self._names)}".rstrip(
                        "?."
                    )
                )
            else:
                words.append(f"{where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}")
        more = f"; and {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
        return f"{self.name} cannot be asked so: {'; '.join(words)}{more}."

    @property
    def _names(self) -> list[str]:
        return list(self.arguments.model_fields)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(_blackjack_tools.blackjack_hand, "Blackjack: a hand"),
        Tool(_blackjack_tools.blackjack_chart, "Blackjack: basic strategy"),
        Tool(_blackjack_tools.blackjack_count, "Blackjack: count and bet"),
        Tool(_card_tools.equity, "Equity of hands or ranges", heavy=True),
        Tool(_card_tools.hand_rank, "Rank of a poker hand"),
        Tool(_card_tools.poker_range, "A range as text and combos"),
        Tool(_holdem_tools.spot, "Solve a spot of hold'em", heavy=True),
        Tool(_holdem_tools.preflop, "The book before the flop"),
        Tool(_holdem_tools.push_fold, "All-in or fold", heavy=True),
        Tool(_holdem_tools.review, "Review hands", heavy=True),
        Tool(_game_tools.solve_game, "Solve a small game", heavy=True),
        Tool(_game_tools.strategy_loss, "What a strategy loses", heavy=True),
    )
}

_HAND = re.compile(r"(?:[2-9TJQKA][cdhs] ?){2}")


def tool_named(name: str) -> Tool:
    """A tool by its name; another is refused with the nearest one."""
    if name not in TOOLS:
        raise UnknownNameError.among("tool", name if len(name) <= 40 else f"{name[:37]}…", TOOLS)
    return TOOLS[name]


def is_quick(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a call is answered at once, so that it need not wait behind heavy ones."""
    if tool.function is _card_tools.equity:
        if arguments.get("game", "holdem") != "holdem":
            return False
        return all(_HAND.fullmatch(text) for text in arguments["players"])
    return not tool.heavy


def warm_up() -> None:
    """Load compiled code and the book, so that a process answers its first call quickly."""
    _blackjack_tools.warm_up()
    _holdem_tools.warm_up()
