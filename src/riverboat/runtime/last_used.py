"""LastUsed: a cache that forgets what was used longest ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """At most `size` values by key. Threads may share it; two may then make the same value."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there."""
        try:
            value = self._values.pop(key)
        except KeyError:
            value = make()
        self._values[key] = value
        while len(self._values) > self.size:
            self._values.popitem(last=False)
        return value

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
