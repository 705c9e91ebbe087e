"""Cases of the Triton table: each kernel at sizes that matter, and torch for the same."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from benchmarks import gpu_compiled, gpu_families, gpu_layers, gpu_norms, gpu_pointwise, gpu_rules
from benchmarks.gpu_case import Case, call, fit, tag as tag_of
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.elementwise.pointwise import reduced, run
from hy_kernels.triton.linalg import large_matmul
from hy_kernels.triton.linalg.matmul import by_tiles, product, tiles_for
from hy_kernels.triton.linalg.tiles import HOPPER, Tiles
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended, attended_backward
from hy_kernels.triton.nn.dropout import dropped, dropped_along
from hy_kernels.triton.runtime._launch import capability
from hy_kernels.triton.runtime._precision import product_precision
from hy_kernels.triton.runtime._tune import Problem, choose

__all__ = ["DTYPES", "cases", "families"]

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def families() -> dict[str, Callable[[str, torch.dtype], Iterator[Case]]]:
    """Cases of a device and a dtype, by what they are of."""
    own = (
        _pointwise,
        gpu_pointwise.of_floats,
        _reduce,
        _softmax,
        gpu_norms.norms,
        gpu_rules.of_rules,
        _products,
        _attention,
        _rest,
        gpu_families.of_families,
    )
    return {each.__name__.strip("_"): each for each in (*own, *gpu_layers.FAMILIES)}


def cases(device: str) -> Iterator[Case]:
    """All of them, on tensors of a device; on ``meta`` those have no content."""
    for family in families().values():
        for dtype in DTYPES:
            yield from family(device, dtype)
    yield from gpu_pointwise.of_whole(device)
    if device == "meta":  # to see that they compile; a stack is what roots and quotients call
        of_doubles = (_pointwise, gpu_pointwise.of_floats, _reduce, _softmax, gpu_norms.norms)
        for family in (*of_doubles, _rest, *gpu_layers.OF_DOUBLES):
            yield from (case._replace(hot=False) for case in family(device, torch.float64))
        yield from gpu_compiled.of_scalars(device)
        yield from gpu_compiled.of_choices(device)


def _gelu_and_add(x: Any, y: Any) -> Any:
    return functional.gelu(x * y) + y


def _pointwise(device: str, dtype: torch.dtype) -> Iterator[Case]:
    chain = (
        Step("broadcast_mul", (0, 1)),
        Step("leaky_relu", (2,), (("act_type", "'gelu'"), ("slope", "0.0"))),
        Step("broadcast_add", (3, 1)),
    )
    for shape in (fit(1000), fit(1 << 24), fit(4096, 4096)):
        x = torch.randn(shape, device=device, dtype=dtype)
        y = x[:1] if len(shape) > 1 else x  # a row, else a whole operand
        result, size = torch.empty_like(x), x.numel() * x.element_size()
        ours = partial(run, Formula(2, chain, (4,)), [x, y], shape, [result])
        moved = (3 if len(shape) == 1 else 2) * size
        tag = tag_of(dtype, *shape)
        yield Case(f"multiply, gelu, add {tag}", ours, partial(_gelu_and_add, x, y), moved)
    if dtype is torch.float32:
        yield _with_cast(torch.randn(fit(1 << 24), device=device))
    yield from _curves(torch.rand(fit(1 << 24), device=device, dtype=dtype))
    x = torch.randn(fit(4096, 4096), device=device, dtype=dtype)
    total, size = x.new_empty(len(x)), x.numel() * x.element_size()
    squares = Formula(1, (Step("square", (0,)),), (), Reduction("sum", 1))
    ours = partial(reduced, squares, [x], x.shape, 1, total)
    tag = tag_of(dtype, *x.shape)
    yield Case(f"square, sum of rows {tag}", ours, lambda: x.square().sum(1), size)


_CAST = FusedCalls(
    (
        Call("exp", (0,), ()),
        Call("cast", (1,), (("dtype", "float16"),)),
        Call("mul_scalar", (2,), (("scalar", 2.0), ("is_int", False))),
        Call("tanh", (3,), ()),
    ),
    None,
    1,
)


def _with_cast(x: Any) -> Case:
    """Return a chain as mixed precision runs it: its two halves are of different dtypes."""
    ours = call("fused_pointwise", x, calls=_CAST)
    name = f"exp, cast, multiply, tanh {tag_of(x.dtype, *x.shape)}"
    return Case(name, ours, lambda: torch.tanh(x.exp().half() * 2), 6 * x.numel())


_CURVES = ("arctanh", "arcsinh", "sinh", "arctan", "tan", "cosh", "arccosh", "arcsin", "arccos")


def _by_curves(x: Any) -> Any:
    y = x
    for name in _CURVES:
        y = getattr(torch, name)(y)
    return (torch.remainder(torch.pow(y, x), x) ** 2.5) ** (-1 / 3)


def _curves(x: Any) -> Iterator[Case]:
    """Yield a chain of all functions that no instruction computes."""
    steps = [Step(name, (k,)) for k, name in enumerate(_CURVES)]
    last = len(steps)
    steps += [Step("broadcast_power", (last, 0)), Step("broadcast_mod", (last + 1, 0))]
    steps += [Step("power_scalar", (last + 2,), (("scalar", "2.5"),)), Step("rcbrt", (last + 3,))]
    y, size = torch.empty_like(x), x.numel() * x.element_size()
    ours = partial(run, Formula(1, tuple(steps), (len(steps),)), [x], x.shape, [y])
    name = f"powers, angles, hyperbolas {tag_of(x.dtype, *x.shape)}"
    yield Case(name, ours, partial(_by_curves, x), 2 * size, hot=False)


def _reduce(device: str, dtype: torch.dtype) -> Iterator[Case]:
    options: dict[str, Any] = {"keepdims": False, "exclude": False}
    shapes = (((8192, 4096), (1,)), ((8192, 1001), (1,)), ((8192, 4096), (0,)), ((1 << 24,), (0,)))
    for full_shape, axis in shapes:
        shape = fit(*full_shape)
        x = torch.randn(shape, device=device, dtype=dtype)
        size, tag = x.numel() * x.element_size(), f"{tag_of(dtype, *shape)} axis {axis[0]}"
        for name, theirs in (("sum", torch.sum), ("max", torch.amax)):
            yield Case(
                f"{name} {tag}", call(name, x, axis=axis, **options), partial(theirs, x, axis), size
            )
    for full_shape, along in (((8192, 4096), 1), ((1, 1 << 24), None)):
        x = torch.randn(fit(*full_shape), device=device, dtype=dtype)
        yield Case(
            f"argmax {tag_of(dtype, *x.shape)}",
            call("argmax", x, axis=along, keepdims=False),
            partial(torch.argmax, x, along),
            x.numel() * x.element_size(),
        )


def _softmax(device: str, dtype: torch.dtype) -> Iterator[Case]:
    options: dict[str, Any] = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}
    for shape in (fit(8192, 64), fit(8192, 4096), fit(2048, 50257)):
        x = torch.randn(shape, device=device, dtype=dtype)
        size, tag = x.numel() * x.element_size(), tag_of(dtype, *shape)
        for name, theirs in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
            yield Case(f"{name} {tag}", call(name, x, **options), partial(theirs, x, -1), 2 * size)
            ours = call(f"{name}_backward", x, x, x, axis=-1, temperature=None)
            old = getattr(torch.ops.aten, f"_{name}_backward_data")
            yield Case(f"{name}_backward {tag}", ours, partial(old, x, x, -1, dtype), 3 * size)
    yield from _losses(torch.randn(fit(8192, 1000), device=device, dtype=dtype))
    yield from _losses(torch.randn(fit(2048, 50257), device=device, dtype=dtype))
    rows, columns = fit(2048, 50257)
    x = torch.randn(rows, columns, device=device, dtype=dtype)
    size, tag = x.numel() * x.element_size(), tag_of(dtype, rows, columns)
    index = torch.zeros(rows, device=device, dtype=torch.int64)
    statistics = torch.ones(rows, 2, device=device)
    pick: dict[str, Any] = {"keepdims": False, "mode": "clip", "negative": True}
    yield Case(
        f"log_softmax_pick {tag}",
        call("log_softmax_pick", x, index, **pick),
        partial(functional.cross_entropy, x, index, reduction="none"),
        size,
    )
    yield Case(
        f"log_softmax_pick_backward {tag}",
        call("log_softmax_pick_backward", x[:, 0], x, index, statistics, **pick),
        lambda: torch.softmax(x, -1).sub_(functional.one_hot(index, columns)),
        2 * size,
    )
    yield from _weighed(x, tag)


def _weighed(x: Any, tag: str) -> Iterator[Case]:
    """Yield losses whose labels are probabilities of all classes."""
    size, label = x.numel() * x.element_size(), torch.softmax(x, -1)
    statistics = torch.ones(len(x), 3, device=x.device)
    yield Case(
        f"log_softmax_dot {tag}",
        call("log_softmax_dot", x, label),
        partial(functional.cross_entropy, x, label, reduction="none"),
        2 * size,
    )
    yield Case(
        f"log_softmax_dot_backward {tag}",
        call("log_softmax_dot_backward", x[:, :1], x, label, statistics),
        lambda: torch.softmax(x, -1).sub_(label),
        3 * size,
    )


def _losses(x: Any) -> Iterator[Case]:
    """Yield a sum of losses, and the gradient of a symbol's output."""
    size, tag = x.numel() * x.element_size(), tag_of(x.dtype, *x.shape)
    label = torch.zeros(len(x), device=x.device, dtype=torch.int64)
    onto = x[:1, :1].reshape(1)
    theirs = partial(functional.cross_entropy, x, label, reduction="sum")
    yield Case(
        f"softmax_cross_entropy {tag}", call("softmax_cross_entropy", x, label), theirs, size
    )
    less = partial(_less_labels, x, label)
    ours = call("softmax_cross_entropy_backward", onto, x, label)
    yield Case(f"softmax_cross_entropy_backward {tag}", ours, less, 2 * size)
    options: dict[str, Any] = {"grad_scale": 1.0, "ignore_label": -1.0, "multi_output": False}
    options |= {"use_ignore": False, "preserve_shape": False, "smooth_alpha": 0.0}
    options["normalization"] = "null"
    ours = call("softmax_output", x, label, out_grad=False, **options)
    yield Case(f"softmax_output {tag}", ours, partial(torch.softmax, x, -1), 2 * size)
    ours = call("softmax_output_backward", x, label, **options)
    yield Case(f"softmax_output_backward {tag}", ours, less, 2 * size)


def _less_labels(x: Any, label: Any) -> Any:
    return torch.softmax(x, -1).sub_(functional.one_hot(label, x.shape[1]))


def _layer_with_gelu(x: Any, weight: Any, bias: Any) -> Any:
    return functional.gelu(functional.linear(x, weight, bias))


_PRODUCTS: tuple[tuple[int, int, int], ...] = (
    (16, 768, 768),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
)


def _products(device: str, dtype: torch.dtype) -> Iterator[Case]:
    for sizes in _PRODUCTS:
        rows, inner, columns = fit(*sizes)
        x = torch.randn(rows, inner, device=device, dtype=dtype)
        weight = torch.randn(columns, inner, device=device, dtype=dtype)
        bias, tag = weight[:, 0].contiguous(), tag_of(dtype, rows, inner, columns)
        yield Case(
            f"product, bias, gelu {tag}",
            partial(product, x, weight.t(), bias, "gelu"),
            partial(_layer_with_gelu, x, weight, bias),
            work=2 * rows * inner * columns,
        )
        yield Case(
            f"product {tag}",
            partial(product, x, weight.t()),
            partial(functional.linear, x, weight),
            work=2 * rows * inner * columns,
        )
        if sizes[0] == sizes[1] and device != "meta":
            yield Case(
                f"tiles alone {tag}",
                partial(_by_fastest, x, weight.t(), bias.new_empty(rows, columns)),
                partial(functional.linear, x, weight),
                work=2 * rows * inner * columns,
            )
    if device == "meta":  # on a GPU they are measured, and the fastest is taken
        x = torch.empty(4096, 4096, device=device, dtype=dtype)
        if dtype is not torch.float32:  # K is a multiple of 8, and not of 16
            a = x.new_empty(4096, 1000)
            (tiles,) = [each for each in tiles_for(dtype, 4096) if each[:3] == (128, 128, 64)]
            ours = partial(by_tiles, tiles, a, a.t(), None, "none", x)
            name = f"product by {tiles.name} {tag_of(dtype, 4096, 1000, 4096)}"
            yield Case(name, ours, _nothing)
        for tiles in tiles_for(dtype, len(x)):
            name = f"product by {tiles.name} {tag_of(dtype, *x.shape)}"
            yield Case(name, partial(by_tiles, tiles, x, x.t(), None, "none", x), _nothing)
        if dtype is torch.float32:
            yield from _tf32_products(x)
        elif capability(x) >= HOPPER:
            yield from _large_products(x)


def _large_products(x: Any) -> Iterator[Case]:
    for tiles in large_matmul.TILES:
        for order, other in (("rows", x), ("columns", x.t())):
            name = f"product by descriptors, {tiles.name}, {order} {tag_of(x.dtype, *x.shape)}"
            ours = partial(large_matmul.by_descriptors, tiles, x, other, None, "none", x)
            yield Case(name, ours, _nothing)
    ours = partial(large_matmul.product_of_float8, x, x, x[0], "gelu")
    yield Case(
        f"product of float8, bias, gelu {tag_of(x.dtype, *x.shape)}",
        ours,
        partial(_layer_with_gelu, x, x, x[0]),
        work=2 * len(x) ** 3,
    )


def _by_fastest(a: Any, b: Any, y: Any) -> None:
    """Multiply by whichever tiles are the fastest, and never by the library."""
    own = {each.name: each for each in tiles_for(a.dtype, len(a))}

    def ways() -> dict[str, Callable[[], Any]]:
        return {k: partial(by_tiles, each, a, b, None, "none", y) for k, each in own.items()}

    words, sizes = (a.dtype, product_precision(a.dtype)), (*a.shape, b.shape[-1])
    problem = Problem.of("benchmark", words, sizes)
    way = choose(problem, ways, untuned=next(iter(own)), device=a.device)
    by_tiles(own[way], a, b, None, "none", y)


def _nothing() -> None:
    pass


def _as_tf32(run: Callable[[], Any]) -> None:
    """Call it where products of float32 may be tf32."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        run()
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _tf32_products(x: Any) -> Iterator[Case]:
    choices: list[Tiles] = []
    _as_tf32(lambda: choices.extend(tiles_for(x.dtype, len(x))))
    for tiles in choices:
        name = f"product by {tiles.name} tf32 {tag_of(x.dtype, *x.shape)}"
        ours = partial(by_tiles, tiles, x, x.t(), None, "none", x)
        yield Case(name, partial(_as_tf32, ours), _nothing)


def _attention(device: str, dtype: torch.dtype) -> Iterator[Case]:
    if dtype is torch.float32:  # torch computes it for the table; functions of PyTorch take it
        if device == "meta":
            for case in _masked_attention(device, dtype):
                yield case._replace(hot=False)
                ours = partial(_as_tf32, case.run)
                yield case._replace(name=f"{case.name} as tf32", run=ours, hot=False)
        return
    yield from _masked_attention(device, dtype)
    for vector, causal in ((64, False), (64, True), (128, True), (192, True), (256, False)):
        batch, heads, length, size = shape = fit(4, 16, 2048, vector)
        q = torch.randn(shape, device=device, dtype=dtype)
        theirs = partial(functional.scaled_dot_product_attention, is_causal=causal)
        y, options, tag = (
            torch.empty_like(q),
            AttentionOptions(size**-0.5, causal),
            f"{tag_of(dtype, *shape)} causal {causal}",
        )
        work = 4 * batch * heads * length**2 * size // (2 if causal else 1)
        yield Case(
            f"attention {tag}",
            partial(attended, q, q, q, y, options),
            partial(theirs, q, q, q),
            work=work,
        )
        sums = q[..., :2].float().flatten(0, 1)
        grads = (torch.empty_like(q), torch.empty_like(q), torch.empty_like(q))
        yield Case(
            f"attention backward {tag}",
            partial(attended_backward, q, (q, q, q), y, sums, grads, options),
            _backward_of(theirs, q),
            work=work * 5 // 2,
        )


def _masked_attention(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Yield attention as transformers are trained: with a mask and dropout of its weights."""
    batch, heads, length, size = shape = fit(4, 16, 1024, 64)
    q = torch.randn(shape, device=device, dtype=dtype)
    mask = torch.ones(batch, heads, length, length, device=device, dtype=dtype)
    seed = torch.ones(1, device=device, dtype=torch.int64)
    options = AttentionOptions(
        scale=size**-0.5,
        causal=False,
        length=None,
        mask=mask,
        kind="both",
        fill=-1e4,
        rate=0.1,
        seed=seed,
    )
    work, name = 4 * batch * heads * length**2 * size, tag_of(dtype, *shape)
    y = torch.empty(length, batch, heads, size, device=device, dtype=dtype).permute(1, 2, 0, 3)
    theirs = partial(
        functional.scaled_dot_product_attention,
        attn_mask=mask > 0,
        dropout_p=0.1,
    )
    yield Case(
        f"attention masked, dropped {name}",
        partial(attended, q, q, q, y, options),
        partial(theirs, q, q, q),
        work=work,
    )
    sums = q[..., :2].float().flatten(0, 1)
    grads = (torch.empty_like(q), torch.empty_like(q), torch.empty_like(q))
    yield Case(
        f"attention masked, dropped backward {name}",
        partial(attended_backward, y, (q, q, q), y, sums, grads, options),
        _backward_of(theirs, q),
        work=work * 5 // 2,
    )


def _backward_of(attention: Callable[..., Any], x: Any) -> Callable[[], Any]:
    q = x.clone().requires_grad_()
    return partial(torch.autograd.grad, attention(q, q, q), q, x, retain_graph=True)


def _rest(device: str, dtype: torch.dtype) -> Iterator[Case]:
    (rows, columns), (count,) = fit(50257, 768), fit(16384)
    weight = torch.randn(rows, columns, device=device, dtype=dtype)
    index = torch.randint(0, rows, (count,), device=device)
    dy, tag = weight[:1].expand(count, columns).contiguous(), tag_of(dtype, *weight.shape)
    size = dy.numel() * dy.element_size()
    options: dict[str, Any] = {"input_dim": rows, "output_dim": columns}
    yield Case(
        f"embedding {tag}",
        call("embedding", index, weight, **options),
        partial(functional.embedding, index, weight),
        2 * size,
    )
    yield Case(
        f"embedding backward {tag}",
        call("take_backward", dy, weight, index, axis=0, mode="clip", sparse_grad=False),
        partial(torch.ops.aten.embedding_dense_backward, dy, index, rows, -1, False),
        size + weight.numel() * weight.element_size(),
    )
    padded = torch.where(index % 2 > 0, index, 0)
    yield Case(
        f"embedding backward, half of it padding {tag}",
        call("take_backward", dy, weight, padded, axis=0, mode="clip", sparse_grad=False),
        partial(torch.ops.aten.embedding_dense_backward, dy, padded, rows, -1, False),
        size + weight.numel() * weight.element_size(),
    )
    yield Case(
        f"dropout {tag}",
        partial(dropped, weight, 0.1, 7),
        partial(functional.dropout, weight, 0.1),
        2 * weight.numel() * weight.element_size(),
    )
    yield Case(
        f"dropout by columns {tag}",
        partial(dropped_along, weight, 0.1, 7, (columns, 1, 1, 1)),
        partial(_dropped_by_columns, weight),
        2 * weight.numel() * weight.element_size(),
    )


def _dropped_by_columns(x: torch.Tensor) -> torch.Tensor:
    return x * functional.dropout(torch.ones_like(x[:1]), 0.1)
