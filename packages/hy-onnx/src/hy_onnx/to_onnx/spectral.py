"""Export of Fourier transforms."""

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


def _transformed(call: Call, x: str, *, inverse: bool) -> str:
    """Add a DFT of ``[*batch, D, 1 or 2]`` (real or complex) along ``D``; return its result."""
    if call.opset < 17:  # noqa: PLR2004
        raise call.refused("Fourier transforms need opset_version=17 or later")
    axis = call.rank() - 1
    if call.opset < 20:  # noqa: PLR2004
        return call.op("DFT", x, axis=axis, inverse=int(inverse))
    return call.op("DFT", x, None, call.scalar_int(axis), inverse=int(inverse))


@converter("_contrib_fft")
def _forward(call: Call) -> str:
    y = _transformed(call, call.unsqueeze(call.x, call.rank()), inverse=False)
    return call.reshape(y, call.out_dims())


@converter("_contrib_ifft")
def _inverse(call: Call) -> str:
    count = call.size(0, -1) // 2
    pairs = call.reshape(call.x, (*call.dims()[:-1], count, 2))
    y = _transformed(call, pairs, inverse=True)
    real = call.squeeze(call.slice(y, call.rank(), 0, 1), call.rank())
    # MXNet's inverse is not divided by the count.
    return call.op("Mul", real, call.like(count))
