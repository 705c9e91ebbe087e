"""Reads pickles as plain data: no code runs and no module is imported.

A pickle is a program for a small machine. Here `pickletools` of the standard library splits it into
steps, and a machine that knows no calls follows them: what a pickle would import, call or build
goes to the hooks of a subclass, which make records of the names they know and refuse any other.
"""

import pickletools
from dataclasses import dataclass
from typing import Any

from hy_io._errors import FileFormatError

__all__ = ["MARK", "Name", "PickleMachine", "RefusedError", "as_dict", "as_kind"]

_MOST_VALUES = 2_000_000  # in one file
_LONGEST_NUMBER = 64  # bits


@dataclass(frozen=True, slots=True)
class Name:
    """What a pickle would import.

    Args:
        kind: Module and name, with a space between them.
    """

    kind: str


class _Mark:
    pass


MARK = _Mark()


class RefusedError(Exception):
    """What the pickle does at the present step is outside the list.

    Args:
        expected: What is allowed there.
        found: What is there.
    """

    def __init__(self, expected: str, found: str = "another step") -> None:
        super().__init__(expected, found)
        self.expected = expected
        self.found = found


def as_kind(kind: type[Any], value: Any) -> Any:
    """The value, which must be of a type."""
    if not isinstance(value, kind):
        raise TypeError(f"needs a {kind.__name__}, not a {type(value).__name__}")
    return value


def as_dict(items: list[Any]) -> dict[Any, Any]:
    """A dictionary of keys and values in turn; the keys must be numbers and strings."""
    keys, values = items[::2], items[1::2]
    if not all(isinstance(key, int | str) for key in keys):
        raise TypeError("keys must be numbers and strings")
    return dict(zip(keys, values, strict=True))


class PickleMachine:
    """Follows the steps of one pickle.

    Args:
        path: Where it came from, for messages.
        offset: Where it begins there.
    """

    remedy = ""
    """What to do about a pickle that is refused."""

    def __init__(self, path: str | None, offset: int = 0) -> None:
        self.path = path
        self.offset = self.at = offset
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def import_name(self, kind: str) -> Any:
        """The record of what is imported: module and name, with a space between them."""
        raise RefusedError("no names", repr(kind[:80]))

    def call(self, kind: str, arguments: tuple[Any, ...]) -> Any:
        """What a call of a name becomes."""
        raise NotImplementedError

    def build(self, target: Any, state: Any) -> None:
        """Take in the state of something."""
        raise NotImplementedError

    def find_stored(self, key: Any) -> Any:
        """What lies outside the pickle under a key."""
        raise RefusedError("all values inside", repr(key)[:80])

    def finish(self, value: Any) -> Any:
        """The result, out of the last value."""
        return value

    def read(self, content: bytes) -> Any:
        """The value that a pickle of any protocol holds.

        Raises:
            FileFormatError: It is damaged, or a hook refuses something.
        """
        try:
            return self._run(content)
        except FileFormatError:
            raise
        except RefusedError as error:
            raise FileFormatError(
                self.path, self.at, "pickle", error.expected, error.found, self.remedy
            ) from None
        except (
            ValueError,
            KeyError,
            IndexError,
            TypeError,
            AttributeError,
            UnicodeError,
            OverflowError,
            RecursionError,
        ) as error:
            found = f"{type(error).__name__}: {error}"[:120]
            raise FileFormatError(self.path, self.at, "pickle", "a whole pickle", found) from None

    def _run(self, content: bytes) -> Any:
        for code, argument, position in pickletools.genops(content):
            self.at = self.offset + (position or 0)
            self._step(code.name, argument)
            if len(self.memo) + len(self.stack) > _MOST_VALUES:
                raise RefusedError(f"at most {_MOST_VALUES} values")
        (value,) = self.stack
        return self.finish(value)

    def _step(self, name: str, argument: Any) -> None:
        if name in _IGNORED:
            return
        if name in _PUSHED:
            self.stack.append(_number(argument))
        elif name in _CONSTANTS:
            made = _CONSTANTS[name]
            self.stack.append(made() if callable(made) else made)
        elif name in _MEMO_PUTS:
            self.memo[len(self.memo) if argument is None else int(argument)] = self.stack[-1]
        elif name in _MEMO_GETS:
            self.stack.append(self.memo[int(argument)])
        else:
            work = getattr(self, f"do_{name.lower()}", None)
            if work is None:
                raise RefusedError(f"no {name}")
            work(argument)

    def _popped(self) -> list[Any]:
        """Everything above the last mark."""
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise ValueError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def do_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._popped()))

    def do_tuple1(self, _: Any) -> None:
        self.stack[-1:] = [(self.stack[-1],)]

    def do_tuple2(self, _: Any) -> None:
        self.stack[-2:] = [(self.stack[-2], self.stack[-1])]

    def do_tuple3(self, _: Any) -> None:
        self.stack[-3:] = [(self.stack[-3], self.stack[-2], self.stack[-1])]

    def do_list(self, _: Any) -> None:
        self.stack.append(self._popped())

    def do_dict(self, _: Any) -> None:
        self.stack.append(as_dict(self._popped()))

    def do_append(self, _: Any) -> None:
        value = self.stack.pop()
        as_kind(list, self.stack[-1]).append(value)

    def do_appends(self, _: Any) -> None:
        items = self._popped()
        as_kind(list, self.stack[-1]).extend(items)

    def do_setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        as_kind(dict, self.stack[-1]).update(as_dict([key, value]))

    def do_setitems(self, _: Any) -> None:
        items = self._popped()
        as_kind(dict, self.stack[-1]).update(as_dict(items))

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def do_global(self, argument: Any) -> None:
        self.stack.append(self.import_name(argument.replace("\n", " ")))

    def do_stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(self.import_name(f"{as_kind(str, module)} {as_kind(str, name)}"))

    def do_newobj(self, _: Any) -> None:
        self.do_reduce(_)

    def do_reduce(self, _: Any) -> None:
        arguments, name = self.stack.pop(), self.stack.pop()
        self.stack.append(self.call(as_kind(Name, name).kind, as_kind(tuple, arguments)))

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        self.build(self.stack[-1], state)

    def do_binpersid(self, _: Any) -> None:
        self.stack.append(self.find_stored(self.stack.pop()))


_IGNORED = frozenset(("PROTO", "FRAME", "STOP"))
_PUSHED = frozenset(
    (
        "INT",
        "BININT",
        "BININT1",
        "BININT2",
        "LONG",
        "LONG1",
        "LONG4",
        "FLOAT",
        "BINFLOAT",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    )
)
_CONSTANTS: dict[str, Any] = {
    "NONE": None,
    "NEWTRUE": True,
    "NEWFALSE": False,
    "EMPTY_TUPLE": (),
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "MARK": MARK,
}
_MEMO_PUTS = frozenset(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"))
_MEMO_GETS = frozenset(("GET", "BINGET", "LONG_BINGET"))


def _number(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        raise RefusedError("numbers of at most 64 bits")
    return bytes(value) if isinstance(value, bytearray) else value
