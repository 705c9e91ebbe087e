"""Pickles made by a grammar, which go where damage of whole ones does not.

A drawn pickle is mostly well formed: values of every kind, shared by the memo, doubled (`DUP
TUPLE2`), nested in themselves, built over and over, named allowed and forbidden, in the steps of
all protocols; around arrays, optimizers and tensors as their writers have them. Some have steps
that do not fit, and damage besides.
"""

import random
import struct

from tools.fuzz_pickle_steps import NUMBERS, SETTINGS, PickleSteps, u32

__all__ = ["states", "tensors"]

_NUMPY_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_RECORDS = (
    "mxnet.optimizer.sgd SGD", "mxnet.optimizer.optimizer Adam", "mxnet.optimizer.optimizer LBSGD",
    "mxnet.lr_scheduler FactorScheduler", "mxnet.lr_scheduler PolyScheduler",
)  # fmt: skip
_OF_STATES = (
    "numpy dtype", "numpy ndarray", "builtins bytearray", "__builtin__ bytearray", "builtins bytes",
    "_codecs encode", "copyreg _reconstructor", "copy_reg _reconstructor", "builtins object",
    "numpy.core.multiarray _reconstruct", "numpy.core.multiarray scalar",
    "numpy.core.numeric _frombuffer", "mxnet.ndarray.ndarray NDArray",
    "mxnet.ndarray.sparse CSRNDArray", *_RECORDS,
)  # fmt: skip
_OF_TENSORS = (
    "collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor_v3",
    "torch._utils _rebuild_parameter", "torch FloatStorage", "torch.storage UntypedStorage",
    "torch bfloat16", "torch uint16", "torch._utils _rebuild_tensor",
)  # fmt: skip
_CODES = ("b1", "i1", "i8", "u1", "f2", "f4", "f8", "f3", "O", "V8", "c16", "M8")


def states(rng: random.Random) -> bytes:
    """Return a pickle in the form of optimizer states, or anything else."""
    pickle = _Pickle(rng, _OF_STATES, _OF_TENSORS)
    own = (
        pickle.array,
        pickle.array,
        pickle.mxnet_array,
        pickle.optimizer,
        pickle.dtype,
        pickle.scalar,
    )
    pickle.values += (*own, pickle.built, pickle.amplified)
    return pickle.whole(pickle.trainer if pickle.likely(0.85) else pickle.value)


def tensors(rng: random.Random) -> bytes:
    """Return a pickle in the form of a ``state_dict`` of PyTorch's, or anything else."""
    pickle = _Pickle(rng, _OF_TENSORS, _OF_STATES)
    pickle.values += (pickle.tensor,) * 4 + (pickle.stored, pickle.ordered)
    return pickle.whole(pickle.state_dict if pickle.likely(0.85) else pickle.value)


class _Pickle(PickleSteps):
    """Values as writers of optimizer states and tensors pickle them."""

    def built(self) -> None:
        """Push an object whose state is set again and again."""
        self.spell_name("copyreg _reconstructor")
        self.spell_name(self.rng.choice(_RECORDS))
        self.put(b"\x85R")
        self.keep()
        target = self.memo - 1
        self.rng.choice((self.dict, self.many, self.value))()
        self.keep()
        state = self.memo - 1
        self.put(b"b")
        for _ in range(self.often()):
            self.get(target)
            self.get(state)
            self.put(b"b0")

    def amplified(self) -> None:
        """Many objects out of one text, or of one array of bytes."""
        size = self.rng.choice((1 << 10, 1 << 14, 1 << 18))
        encoded = self.likely(0.5)
        if encoded:
            self.put(b"X" + u32(size) + b"a" * size)
        else:
            self.put(b"B" + u32(size) + bytes(size))
        self.keep()
        content = self.memo - 1
        self.put(b"0](")
        for _ in range(self.often()):
            if encoded:
                self.put(b"c_codecs\nencode\n")
                self.get(content)
                self.put(b"X\x06\x00\x00\x00latin1\x86R")
            else:
                self.put(b"cnumpy.core.multiarray\n_reconstruct\n)R(K\x01(J", u32(size), b"t")
                self.put(b"cnumpy\ndtype\nU\x02u1\x85R\x89")
                self.get(content)
                self.put(b"tb")
        self.put(b"e")

    def optimizer(self) -> None:
        """Push a record with settings, perhaps as MXNet has them."""
        self.spell_name("copyreg _reconstructor")
        self.spell_name(self.rng.choice(_RECORDS))
        self.put(b"\x85R}(")
        for _ in range(self.some(12)):
            self.spell(self.rng.choice(SETTINGS))
            self.rng.choice((self.value, self.number, self.number))()
        self.put(b"ub")

    def dtype(self) -> None:
        if self.is_odd():
            return
        self.spell_name("numpy dtype")
        self.spell(self.rng.choice(_CODES))
        self.put(self.rng.choice((b"\x85R", b"\x89\x88\x87R")))
        if self.likely(0.7):
            self.put(b"(K\x03")
            self.spell(self.rng.choice("<|><<<"))
            self.put(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb")

    def array(self) -> None:
        """Push a numpy array whose shape, dtype and bytes mostly fit."""
        module = self.rng.choice(_NUMPY_MODULES)
        self.spell_name(f"{module} _reconstruct")
        self.spell_name("numpy ndarray")
        self.put(b"K\x00\x85C\x01b\x87R(K\x01")
        sizes = [self.rng.randrange(4) for _ in range(self.rng.randrange(4))]
        self.put(b"(")
        for size in sizes:
            self.integer(size if self.likely(0.97) else self.rng.choice(NUMBERS))
        self.put(b"t")
        self.spell_name("numpy dtype")
        self.spell("f4")
        self.put(b"\x85R", self.rng.choice((b"\x89", b"\x88")))
        count = 4
        for size in sizes:
            count *= size
        if self.memo and self.likely(0.1):
            self.shared()
        else:
            self.raw(bytes(count))
        self.put(b"tb")

    def scalar(self) -> None:
        self.spell_name("numpy.core.multiarray scalar")
        self.dtype()
        self.raw(bytes(self.rng.choice((4, 8, 8, 1, 0))))
        self.put(b"\x86R")

    def mxnet_array(self) -> None:
        """Push an array as MXNet stores it, dense or of sparse rows, mostly whole."""
        self.spell_name(_OF_STATES[12 if self.likely(0.8) else 13])
        self.put(b"N\x85R}")
        self.spell("handle")
        handle = struct.pack("<Iiiqiii2f", 0xF993FAC9, 0, 1, 2, 1, 0, 0, 1.0, 2.0)
        if self.likely(0.5):
            rows = self.rng.choice((2, 2, 2, 1 << 20, 1 << 61))
            handle = struct.pack("<Iiiqiqiii", 0xF993FAC9, 1, 1, 0, 1, rows, 1, 0, 0)
            handle += struct.pack("<iiq", 6, 1, 0)
        if self.likely(0.3):
            at = self.rng.randrange(len(handle))
            handle = handle[:at] + self.rng.randbytes(1) + handle[at + 1 :]
        self.spell_name("builtins bytearray")
        self.raw(handle)
        self.put(b"\x85Rsb")

    def ordered(self) -> None:
        """Push a dictionary out of one list of pairs, over and over."""
        self.put(b"](")
        for index in range(self.often()):
            self.put(b"U\x04%04d" % index, b"N\x86")
        self.put(b"e")
        self.keep()
        pairs = self.memo - 1
        self.put(b"0](")
        for _ in range(self.often()):
            self.spell_name("collections OrderedDict")
            self.get(pairs)
            self.put(b"\x85R")
        self.put(b"e")

    # --- forms of files -------------------------------------------------------------------------

    def trainer(self) -> None:
        """States by number, with or without an optimizer."""
        with_optimizer = self.likely(0.5)
        self.put(b"}(")
        for index in range(self.some(6)):
            self.integer(index)
            self.rng.choice((self.array, self.mxnet_array, self.value))()
        self.put(b"u")
        if with_optimizer:
            self.rng.choice((self.optimizer, self.optimizer, self.built))()
            self.put(b"\x86")

    def stored(self) -> None:
        """Push a range of bytes beside the pickle."""
        self.put(b"(")
        self.spell("storage")
        kinds = ("torch FloatStorage", "torch LongStorage", "torch.storage UntypedStorage")
        self.spell_name(self.rng.choice(kinds))
        self.spell(self.rng.choice("0123"))
        self.spell("cpu")
        self.integer(self.rng.choice((12, 24, 96, *NUMBERS)))
        self.put(b"tQ")

    def tensor(self) -> None:
        """Numbers of such a range."""
        younger = self.likely(0.2)
        self.spell_name(f"torch._utils _rebuild_tensor_v{3 if younger else 2}")
        self.put(b"(")
        self.stored()
        self.integer(self.rng.choice((0, 0, 0, *NUMBERS)))
        for _ in range(2):
            self.put(b"(")
            for _ in range(self.rng.randrange(3)):
                self.integer(self.rng.choice((1, 2, 3, 3, *NUMBERS)))
            self.put(b"t")
        self.put(self.rng.choice((b"\x89", b"\x88")))
        self.spell_name("collections OrderedDict")
        self.put(b")R")
        if younger:
            self.spell_name("torch uint16")
        self.put(b"tR")

    def state_dict(self) -> None:
        self.spell_name("collections OrderedDict")
        self.put(b")R(")
        for index in range(self.some(6)):
            self.spell(f"{index}.weight")
            self.rng.choice((self.tensor, self.tensor, self.tensor, self.value, self.shared))()
        self.put(b"u")
        if self.likely(0.3):
            self.put(b"}")
            self.spell("_metadata")
            self.value()
            self.put(b"sb")
