"""The module's own text."""
from __future__ import annotations

import os.path as osp
import typing as t
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

MAX_SIZE = 10
default_name: str = "x"
_hidden = None
first, (second, *rest) = 1, (2, 3)
chained = other = 0
handler = lambda event: event

if osp.sep == "/":
    SEPARATOR = "/"

    def only_unix(path: str) -> str:
        """On this system only."""
        return path
else:
    SEPARATOR = "\\"

try:
    import json
except ImportError:
    def fallback():
        pass

type Pair[T] = tuple[T, T]


class Color(Enum):
    """Colours."""

    RED = auto()
    GREEN = 2

    def mix(self, other: Color) -> Color:
        return blend(self, other)


@dataclass(frozen=True)
class Point(Base, metaclass=Meta):
    x: int
    y: int = field(default=0)
    _cache: dict[str, Point] = field(default_factory=dict)
    LIMIT: t.ClassVar[int] = 3

    def __init__(self, x: int) -> None:
        local_value = x
        self.x = local_value

    def __repr__(self):
        return "Point"

    @property
    def length(self) -> float:
        """How long."""
        return norm(self)

    @length.setter
    def length(self, value): ...

    @staticmethod
    async def load(path: str, /, *, strict: bool = True) -> Point:
        def inner(line):
            return line
        return inner(path)

    class Meta:
        ordering = ["x"]

        class Deep:
            flag = True


@t.overload
def parse(text: str) -> int: ...
@t.overload
def parse(text: bytes) -> float: ...
def parse(text):
    match text:
        case {"kind": kind, **others}:
            return kind
    return [y := 1, *[n for n in text]]


# Says what it does.
# In two lines.
@decorate(option="a")
@again
async def run[T: Iterable](
    items: list[T],
    *args: T,
    **kwargs: t.Any,
) -> list[T]:
    async with open_all() as opened, other() as more:
        inside = 1
    return [transform(item) for item in items]


def outer():
    class Local:
        def method(self): pass

    def helper(): pass
    return Local


with osp as context:
    bound = 1

for index in range(3):
    looped = index
