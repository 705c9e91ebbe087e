"""Safe interpreter of pickles: runs no code of the pickle and imports no module.

A pickle is a program for a stack machine. `pickletools` of the standard library splits it into
opcodes, and this interpreter executes them without importing or calling anything: imports, calls
and state updates go to hooks of a subclass, which create records for the names in its allow-list
and refuse all others.

A pickle can refer to one value many times, with two bytes each, so a short pickle can contain a
tree of exponential size. The interpreter therefore counts work: each opcode, and each occurrence of
a value that a hook or the caller receives. Work and bytes are limited in proportion to the length
of the pickle, and values are counted before hooks receive them.
"""

import pickletools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hy_io._errors import FileFormatError

# Of 200,000 pickles drawn by tools/fuzz_io the slowest ended after 0.74 s with these limits.
_MIN_STEPS, _STEPS_PER_BYTE, _MAX_STEPS = 1000, 4, 3_000_000
"""Limit on the work of a pickle: a constant, plus so much per byte, up to a maximum."""
# Strings may be shared: before there was a limit, 6,000 names of one text of 1 MB took 4 GB.
_MIN_BYTES, _BYTES_PER_BYTE = 1 << 16, 4
_MAX_DEPTH = 50  # levels of nesting; states of optimizers have five
_MAX_NUMBER_BITS = 64  # bits
# CPython hashes an int modulo 2**61 - 1: with 64 bits an attacker could choose keys that collide.
_MAX_KEY_BITS = 32  # bits: enough of longer ones can be chosen to collide in a dictionary
_MAX_NAME_CHARACTERS = 200
_MAX_SHOWN_CHARACTERS = 80
# Exact types: a subclass might hold more.
_SCALARS = frozenset((bool, int, float, type(None)))


@dataclass(frozen=True, slots=True)
class Name:
    """Record of a name that a pickle would import.

    Args:
        kind: Module and name, separated by a space.
    """

    kind: str


class _Mark:
    pass


MARK = _Mark()


class RefusedError(Exception):
    """Opcode or value of a pickle that is outside the allow-list.

    Args:
        expected: Description of what is allowed there.
        actual: Description of what is there instead.
    """

    def __init__(self, expected: str, actual: str = "another step") -> None:
        super().__init__(expected, actual)
        self.expected = expected
        self.actual = actual


def as_kind(kind: type[Any], value: Any) -> Any:
    """Return the value if it is of type ``kind``, else refuse the pickle."""
    if not isinstance(value, kind):
        raise TypeError(f"needs a {kind.__name__}, not a {type(value).__name__}")
    return value


def as_dict(items: list[Any]) -> dict[Any, Any]:
    """Return a dictionary of alternating keys and values; keys must be numbers or strings."""
    keys, values = items[::2], items[1::2]
    # Only these types have hashes that end: a tuple may hold itself 2**40 times.
    for key in keys:
        if not isinstance(key, str | int):
            raise TypeError("keys must be numbers and strings")
        if isinstance(key, int) and key.bit_length() > _MAX_KEY_BITS:
            raise TypeError(f"keys must be numbers of at most {_MAX_KEY_BITS} bits")
    return dict(zip(keys, values, strict=True))


def shown(value: Any) -> str:
    """Return the text of a value for a message; for containers, which may be cyclic, the type."""
    if isinstance(value, str | bytes):
        return repr(value[:_MAX_SHOWN_CHARACTERS])
    if value is None or isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


class PickleMachine:
    """Interpreter of the opcodes of one pickle.

    Args:
        path: The file of the pickle, for messages.
        offset: Offset of the pickle in the file, for messages.
    """

    remedy = ""
    """Advice to the user in errors about refused pickles."""

    def __init__(self, path: str | None, offset: int = 0) -> None:
        self.path = path
        self.offset = self.at = offset
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self._work = self._bytes = 0  # that may still be done and made

    def import_name(self, kind: str) -> Any:
        """Return the record of an imported name (opcode GLOBAL): module, space, name."""
        raise RefusedError("no names", shown(kind))

    def call(self, kind: str, arguments: tuple[Any, ...]) -> Any:
        """Return the result of calling an imported name; the arguments have been counted."""
        raise NotImplementedError

    def build(self, target: Any, state: Any) -> None:
        """Apply a state to an object (opcode BUILD); the state has been counted."""
        raise NotImplementedError

    def find_stored(self, key: Any) -> Any:
        """Return the object with a persistent id, which has been counted (opcode BINPERSID)."""
        raise RefusedError("all values inside", shown(key))

    def inside(self, record: Any) -> Sequence[Any]:  # noqa: ARG002  # for subclasses
        """Return the values that a record of a subclass contains, for counting."""
        return ()

    def finish(self, value: Any) -> Any:
        """Convert the final value of the pickle to the result; subclasses replace records here."""
        return value

    def read(self, content: bytes) -> Any:
        """Interpret a pickle of any protocol and return its value.

        Raises:
            FileFormatError: The pickle is damaged, exceeds the limits for its length, or contains
                something that a hook refuses.
        """
        # What is already an error of the file passes, refusals name the step, and whatever damaged
        # bytes raise inside a step becomes an error of the file.
        try:
            return self._execute(content)
        except FileFormatError:
            raise
        except RefusedError as error:
            raise FileFormatError(
                self.path,
                self.at,
                "pickle",
                expected=error.expected,
                found=error.actual,
                remedy=self.remedy,
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
            Warning,  # of an escape in a text, where a program makes warnings errors
        ) as error:
            actual = f"{type(error).__name__}: {error}"[:120]
            raise FileFormatError(
                self.path, self.at, "pickle", expected="a whole pickle", found=actual
            ) from None

    def _execute(self, content: bytes) -> Any:
        # Linear in the length, so that no pickle costs more than reading it does.
        self._work = min(_MIN_STEPS + _STEPS_PER_BYTE * len(content), _MAX_STEPS)
        self._bytes = _MIN_BYTES + _BYTES_PER_BYTE * len(content)
        # Bound methods once for each pickle, as genops yields up to millions of steps.
        steps = {name: getattr(self, method) for name, method in _STEPS.items()}
        for code, argument, position in pickletools.genops(content):
            self.at = self.offset + (position or 0)
            step = steps.get(code.name)
            if step is None:
                raise RefusedError(f"no {code.name}")
            step(argument)
            self._work -= 1
            if self._work < 0:
                self._refuse_work()
        (value,) = self.stack
        self.count(value)
        return self.finish(value)

    def _refuse_work(self) -> None:
        expected = "values that are not nested in themselves, nor named over and over"
        raise RefusedError(expected, "too many")

    def count(self, value: Any) -> None:
        """Count a value and all that it contains as work and bytes, and check the limits.

        Raises:
            RefusedError: A limit is exceeded, or values are nested too deeply.
        """
        # Local copies, written back at the end: this loop is the hottest of the machine.
        work, size = self._work, self._bytes
        # A stack of iterators, not recursion: depth is checked here and cannot exhaust Python's
        # stack.
        waiting = [iter((value,))]
        while waiting:
            for item in waiting[-1]:
                kind = type(item)
                if kind in _SCALARS:
                    continue  # counted with what holds it
                if kind is str or kind is bytes:
                    size -= len(item)
                    if size < 0:
                        self._refuse_work()
                    continue
                parts = self._children(item)
                # A container counts its items at once: two of 68,000 drawn pickles took 2 s when
                # each value was counted by itself, and 0.5 s so.
                work -= len(parts) + 1
                if work < 0:
                    self._refuse_work()
                waiting.append(iter(parts))
                break
            else:
                waiting.pop()
            if len(waiting) > _MAX_DEPTH:
                raise RefusedError(f"values nested at most {_MAX_DEPTH} deep")
        self._work, self._bytes = work, size

    def _children(self, item: Any) -> Sequence[Any]:
        if isinstance(item, tuple | list):
            return item
        if isinstance(item, dict):
            return [*item, *item.values()]
        if isinstance(item, _Mark):
            raise RefusedError("values, not marks")
        return self.inside(item)

    def do_nothing(self, _: Any) -> None:
        pass

    def do_push(self, argument: Any) -> None:
        # Parsing or printing an integer of megabytes takes quadratic time.
        if isinstance(argument, int) and argument.bit_length() > _MAX_NUMBER_BITS:
            raise RefusedError(f"numbers of at most {_MAX_NUMBER_BITS} bits")
        self.stack.append(bytes(argument) if isinstance(argument, bytearray) else argument)

    def do_none(self, _: Any) -> None:
        self.stack.append(None)

    def do_newtrue(self, _: Any) -> None:
        self.stack.append(True)

    def do_newfalse(self, _: Any) -> None:
        self.stack.append(False)

    def do_empty_tuple(self, _: Any) -> None:
        self.stack.append(())

    def do_empty_list(self, _: Any) -> None:
        self.stack.append([])

    def do_empty_dict(self, _: Any) -> None:
        self.stack.append({})

    def do_mark(self, _: Any) -> None:
        self.stack.append(MARK)

    def do_put(self, argument: int) -> None:
        self.memo[int(argument)] = self.stack[-1]

    def do_memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def do_get(self, argument: int) -> None:
        self.stack.append(self.memo[int(argument)])

    def _pop_to_mark(self) -> list[Any]:
        """Pop the values above the topmost mark off the stack, and the mark; return the values."""
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise ValueError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def do_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._pop_to_mark()))

    def do_tuple1(self, _: Any) -> None:
        self.stack[-1:] = [(self.stack[-1],)]

    def do_tuple2(self, _: Any) -> None:
        self.stack[-2:] = [(self.stack[-2], self.stack[-1])]

    def do_tuple3(self, _: Any) -> None:
        self.stack[-3:] = [(self.stack[-3], self.stack[-2], self.stack[-1])]

    def do_list(self, _: Any) -> None:
        self.stack.append(self._pop_to_mark())

    def do_dict(self, _: Any) -> None:
        self.stack.append(as_dict(self._pop_to_mark()))

    def do_append(self, _: Any) -> None:
        value = self.stack.pop()
        as_kind(list, self.stack[-1]).append(value)

    def do_appends(self, _: Any) -> None:
        items = self._pop_to_mark()
        as_kind(list, self.stack[-1]).extend(items)

    def do_setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        as_kind(dict, self.stack[-1]).update(as_dict([key, value]))

    def do_setitems(self, _: Any) -> None:
        items = self._pop_to_mark()
        as_kind(dict, self.stack[-1]).update(as_dict(items))

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def do_global(self, argument: Any) -> None:
        self._import(argument.replace("\n", " "))

    def do_stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.count(module)
        self.count(name)
        self._import(f"{as_kind(str, module)} {as_kind(str, name)}")

    def _import(self, kind: str) -> None:
        if len(kind) > _MAX_NAME_CHARACTERS:
            raise RefusedError(f"names of at most {_MAX_NAME_CHARACTERS} letters", shown(kind))
        self.stack.append(self.import_name(kind))

    def do_reduce(self, _: Any) -> None:
        arguments, name = self.stack.pop(), self.stack.pop()
        self.count(arguments)
        # The callee is a `Name`, never a Python object: nothing of a pickle is ever called.
        self.stack.append(self.call(as_kind(Name, name).kind, as_kind(tuple, arguments)))

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        self.count(state)
        self.build(self.stack[-1], state)

    def do_binpersid(self, _: Any) -> None:
        key = self.stack.pop()
        self.count(key)
        self.stack.append(self.find_stored(key))


_PUSHES = (
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING "
    "UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8"
)
_OWN = (
    "NONE NEWTRUE NEWFALSE EMPTY_TUPLE EMPTY_LIST EMPTY_DICT MARK MEMOIZE TUPLE TUPLE1 TUPLE2 "
    "TUPLE3 LIST DICT APPEND APPENDS SETITEM SETITEMS POP DUP GLOBAL STACK_GLOBAL REDUCE BUILD "
    "BINPERSID"
)
_STEPS = {
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), "do_nothing"),
    **dict.fromkeys(_PUSHES.split(), "do_push"),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), "do_put"),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), "do_get"),
    **{name: f"do_{name.lower()}" for name in _OWN.split()},
    # NEWOBJ is cls.__new__(cls, *args): the same as a call, since classes are only names here.
    "NEWOBJ": "do_reduce",
}
"""The method that executes each opcode; all other opcodes are refused."""
