"""Values of frozen structs that are worked out when they are first asked for, and kept."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, TypeVar, TypeVarTuple, overload

Value = TypeVar("Value")
Owner = TypeVar("Owner")
Rest = TypeVarTuple("Rest")


class computed_once(Generic[Value]):
    """A property that is computed once per object; the class needs a `__dict__`.

    As `functools.cached_property`, without its lock: that one costs more than most of what is computed here. Two
    threads may compute a value twice, which is the same value both times.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = ""
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, one: None, owner: type) -> "computed_once[Value]": ...
    @overload
    def __get__(self, one: object, owner: type) -> Value: ...
    def __get__(self, one: object | None, owner: type) -> "computed_once[Value] | Value":
        # Only asked when the object's own dictionary has no such name: from the second time on, nothing is called.
        if one is None:
            return self
        value = one.__dict__[self._name] = self._compute(one)
        return value


def kept_beside(work_out: Callable[[Owner, *Rest], Value]) -> Callable[[Owner, *Rest], Value]:
    """Keep what a function says about its first argument beside that object, for as long as the others are the same.

    For what follows from a command's text and the place that it is seen from: a command that comes again, or that
    several policies ask about, is looked at once. Never for anything that is read from the disk.
    """
    name = f"{work_out.__module__}.{work_out.__qualname__}"

    def look(one: Owner, *rest: *Rest) -> Value:
        kept = one.__dict__.get(name)
        if kept is None or kept[0] != rest:
            kept = one.__dict__[name] = (rest, work_out(one, *rest))
        value: Value = kept[1]
        return value

    update_wrapper(look, work_out)
    return look
