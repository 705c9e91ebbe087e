"""Export of matrix products and interleaved attention."""

from hy_onnx.model import Dim
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


@converter("dot")
def _dot(call: Call) -> str:
    params = call.params
    lhs, rhs = call.dims(0), call.dims(1)
    a, b = call.x, call.name(1)
    if params["transpose_a"] and len(lhs) > 1:
        a = call.transpose(a, *range(1, len(lhs)), 0)
    if params["transpose_b"] and len(rhs) > 1:
        b = call.transpose(b, len(rhs) - 1, *range(len(rhs) - 1))
        rhs = (rhs[-1], *rhs[:-1])
    return _contracted(call, a, b, rhs)


def _contracted(call: Call, a: str, b: str, rhs: tuple[Dim, ...]) -> str:
    """Contract the last axis of ``a`` with the first axis of ``b``, of sizes ``rhs``."""
    # MatMul sums over the last axis but one: the second factor is made a matrix.
    if len(rhs) > 2:  # noqa: PLR2004
        b = call.op("Reshape", b, call.ints(call.number(rhs[0]), -1))
    y = call.op("MatMul", a, b)
    if len(rhs) > 2 or call.out_dims() == (1,):  # noqa: PLR2004
        y = call.reshape(y, call.out_dims())
    return y


@converter("_npi_matmul")
def _matmul(call: Call) -> str:
    return call.op("MatMul", call.x, call.name(1))


@converter("_np_dot")
def _np_dot(call: Call) -> str:
    lhs, rhs = call.dims(0), call.dims(1)
    if not lhs or not rhs:
        return call.op("Mul", call.x, call.name(1))
    b = call.name(1)
    if len(rhs) > 2:  # noqa: PLR2004
        # NumPy's dot sums over the last axis but one, and _contracted over the first.
        b = call.transpose(b, len(rhs) - 2, *range(len(rhs) - 2), len(rhs) - 1)
        rhs = (rhs[-2], *rhs[:-2], rhs[-1])
    return _contracted(call, call.x, b, rhs)


@converter("_npi_einsum")
def _einsum(call: Call) -> str:
    equation = call.params["subscripts"].replace(" ", "")
    terms = equation.partition("->")[0].split(",")
    ranks = [
        call.rank(i) - len(term.replace(".", "")) if "." in term else 0
        for i, term in enumerate(terms)
    ]
    names = []
    for i, (term, rank) in enumerate(zip(terms, ranks, strict=True)):
        missing = max(ranks) - rank if "." in term else 0  # "..." is of one rank in ONNX
        begin = term.index(".") if missing else 0
        names.append(call.unsqueeze(call.name(i), *range(begin, begin + missing)))
    return call.op("Einsum", *names, equation=equation)


@converter("_linalg_det", "_npi_det")
def _det(call: Call) -> str:
    y = call.op("Det", call.x)
    # One matrix: hy returns ``[1]``, ONNX a scalar.
    return call.reshape(y, call.out_dims()) if call.rank() == 2 else y  # noqa: PLR2004


@converter("_linalg_slogdet", "_npi_slogdet")
def _sign_and_logarithm(call: Call) -> list[str]:
    y = call.op("Det", call.x)
    values = call.op("Sign", y), call.op("Log", call.op("Abs", y))
    return [call.reshape(x, call.out_dims()) if call.rank() == 2 else x for x in values]  # noqa: PLR2004


def _heads(call: Call, i: int, parts: int) -> list[str]:
    """Split input ``i`` ``[L, N, heads * parts * D]`` into parts ``[N * heads, L, D]``."""
    heads = call.params["heads"]
    length, batch, width = call.dims(i)
    size = call.number(width) // heads // parts
    # [L, N, heads * parts * D] to a part each, as MXNet interleaves them.
    x = call.op("Reshape", call.name(i), call.ints(0, 0, heads, parts, size))
    x = call.transpose(x, 3, 1, 2, 0, 4)
    vectors = call.split(x, 0, [1] * parts)
    known = batch * heads if isinstance(batch, int) else None
    return [call.reshape(y, (known, length, size)) for y in vectors]


def _scores(call: Call, query: str, key: str, size: int) -> str:
    product = call.op("MatMul", query, call.transpose(key, 0, 2, 1))
    return call.op("Mul", product, call.like(size**-0.5))


@converter("_contrib_interleaved_matmul_selfatt_qk")
def _self_scores(call: Call) -> str:
    # Queries, keys and values are interleaved in one array.
    query, key, _ = _heads(call, 0, 3)
    return _scores(call, query, key, call.size(0, 2) // call.params["heads"] // 3)


@converter("_contrib_interleaved_matmul_encdec_qk")
def _encdec_scores(call: Call) -> str:
    (query,) = _heads(call, 0, 1)
    key, _ = _heads(call, 1, 2)
    return _scores(call, query, key, call.size(0, 2) // call.params["heads"])


@converter(
    "_contrib_interleaved_matmul_selfatt_valatt", "_contrib_interleaved_matmul_encdec_valatt"
)
def _attended(call: Call) -> str:
    parts = 3 if "selfatt" in call.op_name else 2
    heads = call.params["heads"]
    value = _heads(call, 0, parts)[-1]
    y = call.op("MatMul", call.name(1), value)
    size = call.size(0, 2) // heads // parts
    rows, batch, width = call.out_dims()
    y = call.reshape(y, (batch, heads, rows, size))
    return call.reshape(call.transpose(y, 2, 0, 1, 3), (rows, batch, width))
