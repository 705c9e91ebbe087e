"""The steps of drawn pickles: values of every kind, each written by a method."""

import random
import struct
from collections.abc import Callable

__all__ = ["NUMBERS", "SETTINGS", "PickleSteps", "u32"]

_FORBIDDEN = (
    "os system", "posix system", "builtins eval", "builtins getattr", "subprocess Popen",
    "numpy.testing._private.utils runstring", "mxnet.optimizer.x os.system", "a b c",
    "torch.serialization load", "mxnet.libinfo find_lib_path", " ", "mxnet.optimizer. ",
)  # fmt: skip
SETTINGS = (
    "lr", "wd", "momentum", "rescale_grad", "lr_mult", "wd_mult", "clip_gradient", "num_update",
    "begin_num_update", "_index_update_count", "_all_index_update_counts", "multi_precision",
    "aggregate_num", "idx2name", "sym_info", "lr_scheduler", "cumgrads", "handle", "name",
    "step", "factor", "base_lr", "count", "max_update", "max_steps", "power", "warmup_steps",
    "state_dict", "storage", "cpu", "latin1", "F", "C", "<", ">", "|", "",
)  # fmt: skip
NUMBERS = (0, 1, 2, 3, 16, 255, 256, -1, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 62, 1 << 63)
_MISFITS = (
    *(bytes([step]) for step in b"012(tldaesubRQoK.\x81\x92\x93\x8f\x90\x91\x97\x98"),
    b"ios\nsystem\n", b"Pkey\n", b"\x82\x01", b"\x83\x01\x00", b"\x84\x01\x00\x00\x00", b"h\xff",
    b"j\xff\xff\xff\xff", b"g-1\n", b"p-1\n", b"r\xff\xff\xff\xff", b"\x80\x05", b"]\x94h\x00\x90",
)  # fmt: skip
_LONG = 1 << 20  # bytes of the longest text


def u32(number: int) -> bytes:
    """Return a number in four bytes."""
    return struct.pack("<I", number)


class PickleSteps:
    """Steps that are written one after another.

    Args:
        chance: What draws.
        names: What the reader knows.
        others: What another reader knows.
    """

    def __init__(self, rng: random.Random, names: tuple[str, ...], others: tuple[str, ...]) -> None:
        self.rng = rng
        self.names = names
        self.others = others
        self.steps: list[bytes] = []
        self.memo = 0
        self.left = rng.choice((20, 60, 200, 1000))  # values to draw
        self.wild = rng.choice((0.0, 0.0, 0.01, 0.1))  # how often a step does not fit
        self.odd = rng.choice((0.0, 0.01, 0.05))  # how often a part of a form is another value
        self.values: tuple[Callable[[], None], ...] = (
            self.number, self.number, self.text, self.text, self.raw, self.raw, self.tuple,
            self.tuple, self.list, self.list, self.dict, self.dict, self.doubled, self.repeated,
            self.recursive, self.shared, self.shared, self.shared, self.call,
        )  # fmt: skip

    def whole(self, draw: Callable[[], None]) -> bytes:
        """Return the pickle of what ``draw`` writes."""
        draw()
        body = b"".join(self.steps) + b"."
        protocol = self.rng.randrange(6)
        if protocol >= 4 and self.likely(0.5):
            size = len(body) if self.likely(0.9) else self.rng.randrange(1 << 40)
            body = b"\x95" + struct.pack("<Q", size) + body
        if protocol >= 2:
            body = b"\x80" + bytes([protocol]) + body
        if self.likely(0.1):
            at = self.rng.randrange(len(body))
            cut = self.rng.randint(0, 4)
            body = body[:at] + self.rng.randbytes(self.rng.randint(0, 4)) + body[at + cut :]
        return body

    # --- helpers ----------------------------------------------------------------------------

    def put(self, *steps: bytes) -> None:
        """Write steps as they are."""
        self.steps += steps

    def keep(self) -> None:
        """Remember the last value, in one of the ways of the protocols."""
        form = self.rng.randrange(4)
        if form == 0 and self.memo < 256:
            self.put(b"q" + bytes([self.memo]))
        elif form == 1:
            self.put(b"r" + u32(self.memo))
        elif form == 2:
            self.put(b"p%d\n" % self.memo)
        else:
            self.put(b"\x94")
        self.memo += 1

    def get(self, index: int) -> None:
        """Push the value that was stored in the memo under a number."""
        if index < 256 and self.likely(0.8):
            self.put(b"h" + bytes([index]))
        else:
            self.put(self.rng.choice((b"j" + u32(index), b"g%d\n" % index)))

    def likely(self, share: float) -> bool:
        """Return True with a probability."""
        return self.rng.random() < share

    def is_odd(self) -> bool:
        """Return whether another value was pushed in place of the expected one."""
        if not self.likely(self.odd):
            return False
        before, self.odd = self.odd, 0.0
        self.rng.choice((self.doubled, self.doubled, self.shared, self.value))()
        self.odd = before
        return True

    def some(self, limit: int = 5) -> int:
        """Return how many values a container holds."""
        return min(self.rng.randrange(limit), max(self.left, 0))

    def often(self) -> int:
        """Return how many times a short step is repeated."""
        return self.rng.choice((1, 2, 3, 10, 40, 60, 200, 3000))

    # --- values: each writes steps that leave one on the stack ---------------------------------

    def value(self) -> None:
        """Push a value of any kind."""
        self.left -= 1
        if self.rng.random() < self.wild:
            self.misfit()
        if self.left < 0 or len(self.steps) > 20_000:
            self.number()
            return
        self.rng.choice(self.values)()
        if self.likely(0.3):
            self.keep()

    def misfit(self) -> None:
        """Push an opcode that does not fit there."""
        self.put(self.rng.choice(_MISFITS))

    def integer(self, number: int) -> None:
        """Push a whole number, in one of its forms."""
        if self.is_odd():
            return
        forms = [b"I%d\n" % number, b"L%dL\n" % number]
        if -(1 << 31) <= number < 1 << 31:
            forms.append(b"J" + struct.pack("<i", number))
        if 0 <= number < 256:
            forms += [b"K" + bytes([number])] * 4
        if 0 <= number < 1 << 16:
            forms.append(b"M" + struct.pack("<H", number))
        wide = number.to_bytes(9, "little", signed=True)
        forms += [b"\x8a\x09" + wide, b"\x8b" + u32(9) + wide]
        self.put(self.rng.choice(forms))

    def number(self) -> None:
        """Push a number, a truth value or None."""
        kind = self.rng.randrange(8)
        if kind < 4:
            self.integer(self.rng.choice(NUMBERS))
        elif kind == 4:
            real = self.rng.choice((0.0, 0.5, 1e300, -1.0, float("inf"), float("nan")))
            self.put(self.rng.choice((b"G" + struct.pack(">d", real), b"F%r\n" % real)))
        elif kind == 5:
            self.put(self.rng.choice((b"N", b"\x88", b"\x89", b"I00\n", b"I01\n")))
        elif self.likely(0.95):
            self.integer(self.rng.randrange(1 << self.rng.randrange(1, 64)))
        elif kind == 6:
            self.put(b"\x8b" + u32(1000) + self.rng.randbytes(1000))
        else:
            self.put(self.rng.choice((b"I", b"F", b"L")) + b"9" * self.often() + b"\n")

    def spell(self, text: str) -> None:
        """Push a text, in one of its forms."""
        if self.is_odd():
            return
        raw = text.encode()
        forms = [b"X" + u32(len(raw)) + raw, b"\x8d" + struct.pack("<Q", len(raw)) + raw]
        if len(raw) < 256:
            forms += [b"\x8c" + bytes([len(raw)]) + raw] * 3
        if text.isalnum() and text.isascii():
            forms += [b"V" + raw + b"\n", b"S'" + raw + b"'\n", b"T" + u32(len(raw)) + raw]
        self.put(self.rng.choice(forms))

    def text(self) -> None:
        """Any text; a few are long."""
        text = self.rng.choice(SETTINGS)
        if self.likely(0.1):
            length = _LONG if self.likely(0.02) else self.often()
            text = self.rng.choice(("a", "\xff", "\u4e2d", "\U0001f600")) * length
        self.spell(text)

    def raw(self, content: bytes | None = None) -> None:
        """Bytes, in one of their forms."""
        if self.is_odd():
            return
        if content is None:
            length = _LONG if self.likely(0.002) else self.often()
            content = bytes(length)
        forms = [b"B" + u32(len(content)) + content]
        forms.append(b"\x8e" + struct.pack("<Q", len(content)) + content)
        forms.append(b"\x96" + struct.pack("<Q", len(content)) + content)
        if len(content) < 256:
            forms += [b"C" + bytes([len(content)]) + content] * 3
        if self.likely(0.7):
            self.put(self.rng.choice(forms))
            return
        self.spell_name("_codecs encode")  # as protocols 0 to 2
        self.put(b"X" + u32(len(content.decode("latin-1").encode())))
        self.put(content.decode("latin-1").encode())
        self.spell("latin1")
        self.put(b"\x86R")

    def tuple(self) -> None:
        """Push a tuple, or a list of the same steps."""
        count = self.some(6)
        if 0 < count < 4 and self.likely(0.8):
            for _ in range(count):
                self.value()
            self.put(bytes([0x84 + count]))
        elif count == 0:
            self.put(b")")
        else:
            self.put(b"(")
            for _ in range(count):
                self.value()
            self.put(self.rng.choice((b"t", b"t", b"t", b"l")))

    def list(self) -> None:
        """Push a list."""
        self.put(b"]")
        if self.likely(0.5):
            for _ in range(self.some()):
                self.value()
                self.put(b"a")
            return
        self.put(b"(")
        for _ in range(self.some()):
            self.value()
        self.put(b"e")

    def many(self) -> None:
        """Push a dictionary of many numbers."""
        self.put(b"}(")
        for index in range(self.often()):
            self.put(b"M" + struct.pack("<H", index), b"N")
        self.put(b"u")

    def key(self) -> None:
        """Push a dictionary's key: mostly a text or a small number."""
        if self.likely(0.95):
            self.rng.choice((self.text, lambda: self.integer(self.rng.randrange(9))))()
        else:
            self.value()

    def dict(self) -> None:
        """Push a dictionary."""
        form = self.rng.randrange(3)
        self.put((b"(", b"}", b"}(")[form])
        for _ in range(self.some()):
            self.key()
            self.value()
            if form == 1:
                self.put(b"s")
        self.put((b"d", b"", b"u")[form])

    def doubled(self) -> None:
        """2**n leaves."""
        self.rng.choice((self.tuple, self.text, self.raw, self.number, self.list))()
        self.put(b"2" + self.rng.choice((b"\x86", b"2\x87")))
        step = self.rng.choice((b"2\x86", b"2\x86\x85", b"22\x87"))
        self.put(step * min(self.often(), self.rng.choice((8, 20, 45, 200))))

    def repeated(self) -> None:
        """Push a list of one value many times."""
        self.value()
        self.keep()
        index = self.memo - 1
        self.put(b"0](")
        for _ in range(self.often()):
            self.get(index)
        self.put(b"e")

    def recursive(self) -> None:
        """Push a list or dictionary inside itself."""
        self.put(self.rng.choice((b"]", b"}")))
        self.keep()
        if self.steps[-2] == b"]":
            self.get(self.memo - 1)
            self.put(b"a")
        else:
            self.key()
            self.get(self.memo - 1)
            self.put(b"s")

    def shared(self) -> None:
        """Push a value stored before."""
        if not self.memo:
            self.number()
            return
        self.get(self.rng.randrange(self.memo))

    # --- names and calls ------------------------------------------------------------------------

    def spell_name(self, kind: str) -> None:
        """Push a name: module and name, with a space between them."""
        module, _, name = kind.partition(" ")
        if self.likely(0.7):
            self.put(f"c{module}\n{name}\n".encode())
            return
        self.spell(module)
        self.spell(name)
        self.put(b"\x93")

    def name(self) -> None:
        """Push a name that the reader knows; a few it does not."""
        drawn = self.rng.random()
        names = _FORBIDDEN if drawn < 0.03 else self.names
        self.spell_name(self.rng.choice(self.others if drawn > 0.97 else names))

    def call(self) -> None:
        """Push the result of calling a named function with any arguments."""
        self.name()
        self.rng.choice((self.tuple, self.tuple, self.doubled, self.shared))()
        self.put(self.rng.choice((b"R", b"R", b"\x81")))
