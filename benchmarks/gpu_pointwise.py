"""Cases of the Triton table: pointwise operators by themselves, of floats and of integers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch

from benchmarks.gpu_case import Case, call, fit, tag

__all__ = ["of_floats", "of_whole"]

_SIZE = 1 << 24
_BY: dict[str, Any] = {"scalar": 3.0, "is_int": True}
_NUMBERS: dict[str, Any] = {"copy": True, "nan": 0.0, "posinf": None, "neginf": None}


def _gamma(x: Any) -> Any:
    return torch.lgamma(x).exp()


_OF_ONE: Mapping[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "gamma": (_gamma, {}),
    "gammaln": (torch.lgamma, {}),
    "digamma": (torch.digamma, {}),
    "trigamma": (partial(torch.polygamma, 1), {}),
    "erfinv": (torch.erfinv, {}),
    "np_nan_to_num": (torch.nan_to_num, _NUMBERS),
    "np_around": (partial(torch.round, decimals=2), {"decimals": 2}),
    "np_isfinite": (torch.isfinite, {}),
    "np_equal_scalar": (partial(torch.eq, other=3), _BY),
    "cast": (partial(torch.Tensor.to, dtype=torch.int32), {"dtype": "int32"}),
}
_OF_TWO: Mapping[str, Callable[..., Any]] = {
    "np_arctan2": torch.arctan2,
    "np_copysign": torch.copysign,
    "np_ldexp": torch.ldexp,
    "np_less": torch.lt,
}
_OF_WHOLE: Mapping[str, Callable[..., Any]] = {
    "broadcast_add": torch.add,
    "broadcast_div": partial(torch.div, rounding_mode="trunc"),
    "broadcast_mod": torch.remainder,
    "broadcast_power": torch.pow,
    "np_true_divide": torch.true_divide,
    "np_bitwise_xor": torch.bitwise_xor,
    "np_lcm": torch.lcm,
}


_ANSWERS = ("np_isfinite", "np_equal_scalar", "np_less")
"""Of which a result is one byte."""
_OF_FLOAT32 = ("cast", "np_true_divide")
"""Of which it is four."""


def _moved(kernel: str, *tensors: Any) -> int:
    """Bytes of all operands, and of the result."""
    own = tensors[-1].element_size()
    size = 1 if kernel in _ANSWERS else 4 if kernel in _OF_FLOAT32 else own
    return int(size * tensors[0].numel() + sum(x.numel() * x.element_size() for x in tensors))


def of_floats(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Yield functions of one or two operands, sums of many, and selections."""
    x = torch.rand(fit(_SIZE), device=device, dtype=dtype)
    name = tag(dtype, *x.shape)
    for kernel, (theirs, params) in _OF_ONE.items():
        ours, moved = call(kernel, x, **params), _moved(kernel, x)
        yield Case(f"{kernel} {name}", ours, partial(theirs, x), moved)
    for kernel, both in _OF_TWO.items():
        ours, moved = call(kernel, x, x), _moved(kernel, x, x)
        yield Case(f"{kernel} {name}", ours, partial(both, x, x), moved)
    yield from _prelu(torch.rand(fit(64, 64, 64, 64), device=device, dtype=dtype))
    four = [x] * 4
    ours, moved = call("add_n", *four), _moved("add_n", *four)
    yield Case(f"add_n {name}", ours, lambda: x + x + x + x, moved)
    holds = torch.ones(fit(_SIZE), device=device, dtype=torch.bool)
    ours, moved = call("np_where", holds, x, x), _moved("np_where", holds, x, x)
    yield Case(f"np_where {name}", ours, partial(torch.where, holds, x, x), moved)


def _prelu(x: Any) -> Iterator[Case]:
    slopes, name = x[0, :, 0, 0].contiguous(), tag(x.dtype, *x.shape)
    options: dict[str, Any] = {"act_type": "prelu", "slope": 0.25, "is_train": True, "rng": None}
    ours = call("leaky_relu", x, slopes, lower_bound=0.1, upper_bound=0.3, **options)
    yield Case(f"prelu {name}", ours, partial(torch.prelu, x, slopes), _moved("", x))
    ours = call("prelu_backward", x, x, slopes)
    theirs = partial(torch.ops.aten._prelu_kernel_backward, x, x, slopes.view(-1, 1, 1))
    yield Case(f"prelu_backward {name}", ours, theirs, _moved("", x, x))


def of_whole(device: str) -> Iterator[Case]:
    """Operators that compute integers as such, and booleans."""
    for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8):
        x = torch.ones(fit(_SIZE), device=device, dtype=dtype)
        for kernel, theirs in _OF_WHOLE.items():
            name = f"{kernel} {tag(dtype, *x.shape)}"
            moved = _moved(kernel, x, x)
            yield Case(name, call(kernel, x, x), partial(theirs, x, x), moved)
        name, moved = f"plus_scalar {tag(dtype, *x.shape)}", _moved("plus_scalar", x)
        yield Case(name, call("plus_scalar", x, **_BY), partial(torch.add, x, 3), moved)
    x = torch.ones(fit(_SIZE), device=device, dtype=torch.bool)
    name = f"np_logical_not {tag(x.dtype, *x.shape)}"
    yield Case(name, call("np_logical_not", x), partial(torch.logical_not, x), _moved("", x))
