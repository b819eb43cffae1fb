"""A team of one walker for training that is spread over workers."""

from collections.abc import Iterator, Sequence
from typing import Any

from riverboat.holdem.blueprints._chunk_walks import Chunk, ChunkWalker
from riverboat.holdem.blueprints.game_config import AbstractGame


class OneWalker:
    """Walks every chunk itself, in this process."""

    def __init__(self, abstract: AbstractGame, seed: int) -> None:
        self.walker = ChunkWalker(abstract, seed)

    def begin(self, table: Any) -> None:
        self.walker.load(1, table)

    def walk(self, chunks: Sequence[Chunk]) -> Iterator[Any]:
        return (self.walker.walk(chunk) for chunk in chunks)

    def follow(self, numbers: Any, factor: float | None, table: Any) -> None:
        self.walker.follow(numbers, factor)
