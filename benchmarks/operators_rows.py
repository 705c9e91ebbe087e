"""Rows of `benchmarks.operators`, first half: elements, reductions, shapes, indices.

A call is an expression in ``nd``; beside it is what a user of torch and of numpy would write for
the same result, if there is a usual way. Operands are known by their names, and where a size is an
argument, it is read from an operand's shape.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int, ...]
Shapes: TypeAlias = tuple[Shape, Shape, Shape]

SIZES = ("small", "middle", "large")


@dataclass(frozen=True)
class Operand:
    """An array in three sizes.

    Args:
        shapes: One for each of ``SIZES``.
        kind: ``"normal"``, ``"positive"``, ``"whole"``, ``"bytes"``, ``"boxes"``, or ``"rois"``.
        below: Integers and corners of boxes are smaller, by size.
    """

    shapes: Shapes
    kind: str = "normal"
    below: tuple[int, int, int] = (1, 1, 1)

    def make(self, size: int) -> Any:
        """The numbers, the same each time."""
        random, shape = np.random.RandomState(size), self.shapes[size]
        if self.kind == "whole":
            return random.randint(0, self.below[size], shape)
        if self.kind == "bytes":
            return random.randint(0, 256, shape).astype("uint8")
        if self.kind in ("boxes", "rois"):
            return self._boxes(random, shape, self.below[size]).astype("float32")
        values = random.standard_normal(shape).astype("float32")
        return np.abs(values) + np.float32(0.5) if self.kind == "positive" else values

    def _boxes(self, random: np.random.RandomState, shape: Shape, below: int) -> Any:
        """Corners, after class and score, or after the number of the image."""
        low = random.uniform(0, below * 0.7, (*shape[:-1], 2))
        high = np.minimum(low + random.uniform(below * 0.05, below * 0.4, low.shape), below - 1)
        front = np.zeros((*shape[:-1], 1))
        if self.kind == "boxes":
            front = np.concatenate([front, random.uniform(0, 1, front.shape)], axis=-1)
        return np.concatenate([front, low, high], axis=-1)


@dataclass(frozen=True)
class Row:
    """A call.

    Args:
        family: Part of the catalogue.
        call: Expression in ``nd`` and the operands.
        torch: The same in ``torch``, ``F``, and tensors; integers are int64.
        numpy: The same in ``np`` and arrays.
        grad: Operands whose gradients are computed as well in a second measurement.
        operands: By name.
    """

    family: str
    call: str
    operands: dict[str, Operand]
    torch: str = ""
    numpy: str = ""
    grad: tuple[str, ...] = ()


def whole(shapes: Shapes, *below: int) -> Operand:
    """Integers from 0 on, below one number or three."""
    return Operand(shapes, "whole", (below[0], below[-2 % len(below)], below[-1]))


MATRICES: Shapes = ((8, 32), (128, 256), (1024, 1024))
VECTORS: Shapes = ((32,), (256,), (1024,))
LOGITS: Shapes = ((4, 1000), (32, 1000), (1000, 1000))
IMAGES: Shapes = ((1, 8, 14, 14), (4, 32, 28, 28), (8, 64, 56, 56))
CHANNELS: Shapes = ((8,), (32,), (64,))
STACKS: Shapes = ((4, 8, 8), (16, 64, 64), (32, 128, 128))
PHOTOS: Shapes = ((32, 32, 3), (240, 320, 3), (600, 800, 3))
SEQUENCES: Shapes = ((5, 2, 16), (20, 16, 64), (50, 32, 256))

X, Y = Operand(MATRICES), Operand(MATRICES, "positive")
IMAGE, STACK = Operand(IMAGES), Operand(STACKS)
GAMMA = Operand(CHANNELS, "positive")

MATRIX = {"x": X}
TWO = {"x": X, "y": Y}


def same(names: str, family: str, numpy: str = "np") -> tuple[Row, ...]:
    """Functions of one matrix that have the same name everywhere."""
    return tuple(
        Row(family, f"nd.{name}(y)", {"y": Y}, f"torch.{name}(y)", f"{numpy}.{name}(y)", ("y",))
        for name in names.split()
    )


ARITHMETIC = (
    Row("arithmetic", "x + y", TWO, "x + y", "x + y", ("x", "y")),
    Row("arithmetic", "x * y", TWO, "x * y", "x * y", ("x", "y")),
    Row("arithmetic", "x / y", TWO, "x / y", "x / y", ("x", "y")),
    Row("arithmetic", "x * 2 + 1", MATRIX, "x * 2 + 1", "x * 2 + 1", ("x",)),
    Row("arithmetic", "y ** 2.5", {"y": Y}, "y ** 2.5", "y ** 2.5", ("y",)),
    Row(
        "arithmetic",
        "nd.broadcast_add(x, v)",
        {"x": X, "v": Operand(((1, 32), (1, 256), (1, 1024)))},
        "x + v",
        "x + v",
        ("x", "v"),
    ),
    Row(
        "arithmetic",
        "nd.broadcast_mul(x, v)",
        {"x": IMAGE, "v": Operand(((1, 8, 1, 1), (1, 32, 1, 1), (1, 64, 1, 1)))},
        "x * v",
        "x * v",
        ("x", "v"),
    ),
    Row("arithmetic", "nd.maximum(x, y)", TWO, "torch.maximum(x, y)", "np.maximum(x, y)", ("x",)),
    Row("arithmetic", "x > y", TWO, "(x > y).float()", "(x > y).astype('f')"),
    Row("arithmetic", "nd.add_n(x, y, x, y)", TWO, "x + y + x + y", "x + y + x + y", ("x",)),
    Row("arithmetic", "nd.clip(x, -1, 1)", MATRIX, "x.clamp(-1, 1)", "x.clip(-1, 1)", ("x",)),
    Row(
        "arithmetic",
        "nd.where(x > 0, x, y)",
        TWO,
        "torch.where(x > 0, x, y)",
        "np.where(x > 0, x, y)",
        ("x", "y"),
    ),
    Row("arithmetic", "nd.smooth_l1(x)", MATRIX, "F.smooth_l1_loss(x, x * 0)", "", ("x",)),
)
ELEMENTWISE = (
    *same("exp log sqrt tanh sin cos square abs log1p expm1 sign floor", "elementwise"),
    Row("elementwise", "nd.round(x)", MATRIX, "x.round()", "np.round(x)"),
    Row("elementwise", "nd.rsqrt(y)", {"y": Y}, "torch.rsqrt(y)", "1 / np.sqrt(y)", ("y",)),
    Row("elementwise", "nd.erf(x)", MATRIX, "torch.erf(x)", "", ("x",)),
    Row("elementwise", "nd.erfinv(x * 0.1)", MATRIX, "torch.erfinv(x * 0.1)", "", ("x",)),
    Row("elementwise", "nd.gammaln(y)", {"y": Y}, "torch.lgamma(y)", "", ("y",)),
    Row("elementwise", "nd.arctan(x)", MATRIX, "torch.atan(x)", "np.arctan(x)", ("x",)),
    Row("elementwise", "x.astype('float16')", MATRIX, "x.half()", "x.astype('float16')"),
    Row("elementwise", "x.astype('int32')", MATRIX, "x.int()", "x.astype('int32')"),
)
ACTIVATIONS = (
    Row("activation", "nd.relu(x)", MATRIX, "torch.relu(x)", "np.maximum(x, 0)", ("x",)),
    Row("activation", "nd.sigmoid(x)", MATRIX, "torch.sigmoid(x)", "1/(1+np.exp(-x))", ("x",)),
    Row("activation", "nd.softsign(x)", MATRIX, "F.softsign(x)", "x/(1+abs(x))", ("x",)),
    Row("activation", "nd.Activation(x, 'softrelu')", MATRIX, "F.softplus(x)", "", ("x",)),
    Row("activation", "nd.hard_sigmoid(x)", MATRIX, "F.hardsigmoid(x)", "", ("x",)),
    Row("activation", "nd.LeakyReLU(x, act_type='gelu')", MATRIX, "F.gelu(x)", "", ("x",)),
    Row("activation", "nd.LeakyReLU(x, act_type='leaky')", MATRIX, "F.leaky_relu(x)", "", ("x",)),
    Row("activation", "nd.LeakyReLU(x, act_type='elu')", MATRIX, "F.elu(x)", "", ("x",)),
    Row("activation", "nd.LeakyReLU(x, act_type='selu')", MATRIX, "F.selu(x)", "", ("x",)),
    Row(
        "activation",
        "nd.LeakyReLU(x, gamma, act_type='prelu')",
        {"x": IMAGE, "gamma": GAMMA},
        "F.prelu(x, gamma)",
        "",
        ("x", "gamma"),
    ),
    Row("activation", "nd.softmax(x)", {"x": Operand(LOGITS)}, "x.softmax(-1)", "", ("x",)),
    Row("activation", "nd.softmax(x)", {"x": Operand(STACKS)}, "x.softmax(-1)", "", ("x",)),
    Row("activation", "nd.softmax(x, axis=1)", {"x": IMAGE}, "x.softmax(1)", "", ("x",)),
    Row("activation", "nd.log_softmax(x)", {"x": Operand(LOGITS)}, "x.log_softmax(-1)", "", ("x",)),
    Row(
        "activation",
        "nd.softmax_cross_entropy(x, i)",
        {"x": Operand(LOGITS), "i": whole(((4,), (32,), (1000,)), 1000)},
        "F.cross_entropy(x, i, reduction='sum')",
        "",
        ("x",),
    ),
    Row(
        "activation",
        "nd.SoftmaxOutput(x, i)",
        {"x": Operand(LOGITS), "i": whole(((4,), (32,), (1000,)), 1000)},
        "",
        "",
        ("x",),
    ),
    Row(
        "activation",
        "nd.ctc_loss(x, i)",
        {
            "x": Operand(((10, 2, 20), (40, 8, 60), (100, 32, 100))),
            "i": whole(((2, 4), (8, 10), (32, 25)), 19, 59, 99),
        },
        "",
        "",
        ("x",),
    ),
)
REDUCTIONS = (
    Row("reduce", "x.sum()", MATRIX, "x.sum()", "x.sum()", ("x",)),
    Row("reduce", "x.sum(axis=0)", MATRIX, "x.sum(0)", "x.sum(0)", ("x",)),
    Row("reduce", "x.mean(axis=1)", MATRIX, "x.mean(1)", "x.mean(1)", ("x",)),
    Row("reduce", "x.max(axis=1)", MATRIX, "x.amax(1)", "x.max(1)", ("x",)),
    Row("reduce", "x.prod(axis=1)", MATRIX, "x.prod(1)", "x.prod(1)", ("x",)),
    Row("reduce", "x.norm()", MATRIX, "x.norm()", "np.linalg.norm(x)", ("x",)),
    Row("reduce", "x.argmax(axis=1)", MATRIX, "x.argmax(1)", "x.argmax(1)"),
    Row("reduce", "x.sum(axis=(0, 2, 3))", {"x": IMAGE}, "x.sum((0, 2, 3))", "", ("x",)),
    Row("reduce", "nd.moments(x, axes=(0,))[1]", MATRIX, "x.var(0)", "x.var(0)", ("x",)),
    Row("reduce", "nd.L2Normalization(x)", {"x": X}, "F.normalize(x)", "", ("x",)),
)
ORDER = (
    Row("ordering", "nd.sort(x)", MATRIX, "x.sort(1)[0]", "np.sort(x)", ("x",)),
    Row("ordering", "nd.argsort(x)", MATRIX, "x.argsort(1)", "np.argsort(x)"),
    Row("ordering", "nd.topk(x, k=5)", MATRIX, "x.topk(5)[1]", ""),
    Row("ordering", "nd.topk(x, k=5, ret_typ='both')[0]", MATRIX, "x.topk(5)[0]", "", ("x",)),
    Row("ordering", "nd.shuffle(x)", MATRIX, "x[torch.randperm(len(x))]", ""),
)
SHAPING = (
    Row("shaping", "nd.transpose(x)", MATRIX, "x.t().contiguous()", "x.T.copy()", ("x",)),
    Row(
        "shaping",
        "nd.transpose(x, axes=(0, 2, 3, 1))",
        {"x": IMAGE},
        "x.permute(0, 2, 3, 1).contiguous()",
        "x.transpose(0, 2, 3, 1).copy()",
        ("x",),
    ),
    Row("shaping", "nd.concat(x, y, dim=1)", TWO, "torch.cat([x, y], 1)", "", ("x", "y")),
    Row("shaping", "nd.stack(x, y)", TWO, "torch.stack([x, y])", "np.stack([x, y])", ("x", "y")),
    Row("shaping", "nd.split(x, 4, axis=1)[0]", {"x": IMAGE}, "", "", ("x",)),
    Row("shaping", "nd.tile(x, (2, 2))", MATRIX, "x.tile((2, 2))", "np.tile(x, (2, 2))", ("x",)),
    Row("shaping", "nd.repeat(x, 3, axis=1)", MATRIX, "x.repeat_interleave(3, 1)", "", ("x",)),
    Row(
        "shaping",
        "nd.pad(x, mode='reflect', pad_width=(0, 0, 0, 0, 2, 2, 2, 2))",
        {"x": IMAGE},
        "F.pad(x, (2, 2, 2, 2), mode='reflect')",
        "",
        ("x",),
    ),
    Row("shaping", "nd.flip(x, axis=1)", MATRIX, "x.flip(1)", "x[:, ::-1].copy()", ("x",)),
    Row(
        "shaping",
        "nd.depth_to_space(x, 2)",
        {"x": IMAGE},
        "F.pixel_shuffle(x, 2)",
        "",
        ("x",),
    ),
)
INDEXING = (
    Row(
        "indexing",
        "nd.take(x, i)",
        {"x": X, "i": whole(VECTORS, 8, 128, 1024)},
        "x[i]",
        "x[i]",
        ("x",),
    ),
    Row(
        "indexing",
        "nd.Embedding(i, w, input_dim=w.shape[0], output_dim=w.shape[1])",
        {
            "i": whole(((4, 5), (32, 20), (64, 128)), 100, 1000, 20000),
            "w": Operand(((100, 16), (1000, 64), (20000, 128))),
        },
        "F.embedding(i, w)",
        "w[i]",
        ("w",),
    ),
    Row(
        "indexing",
        "nd.one_hot(i, 100)",
        {"i": whole(((8,), (256,), (8192,)), 100)},
        "F.one_hot(i, 100).float()",
    ),
    Row(
        "indexing",
        "nd.pick(x, i)",
        {"x": X, "i": whole(((8,), (128,), (1024,)), 32, 256, 1024)},
        "x.gather(1, i[:, None])[:, 0]",
        "",
        ("x",),
    ),
    Row(
        "indexing",
        "nd.gather_nd(x, i)",
        {"x": X, "i": whole(((2, 16), (2, 512), (2, 8192)), 8, 128, 1024)},
        "x[i[0], i[1]]",
        "x[i[0], i[1]]",
        ("x",),
    ),
    Row("indexing", "x[1:-1, 2:]", MATRIX, "x[1:-1, 2:].clone()", "x[1:-1, 2:].copy()", ("x",)),
    Row(
        "indexing",
        "nd.contrib.boolean_mask(x, i)",
        {"x": X, "i": whole(((8,), (128,), (1024,)), 2)},
        "x[i.bool()]",
        "x[i.astype(bool)]",
        ("x",),
    ),
    Row(
        "indexing",
        "nd.SequenceMask(x, i, use_sequence_length=True)",
        {"x": Operand(SEQUENCES), "i": whole(((2,), (16,), (32,)), 5, 20, 50)},
        "",
        "",
        ("x",),
    ),
    Row(
        "indexing",
        "nd.SequenceReverse(x, i, use_sequence_length=True)",
        {"x": Operand(SEQUENCES), "i": whole(((2,), (16,), (32,)), 5, 20, 50)},
        "",
        "",
        ("x",),
    ),
)

CALLS = (
    *ARITHMETIC,
    *ELEMENTWISE,
    *ACTIVATIONS,
    *REDUCTIONS,
    *ORDER,
    *SHAPING,
    *INDEXING,
)
