"""``autograd.get_symbol``: converts the recorded tape to a graph."""

from collections.abc import Sequence
from itertools import count

from hy_ndarray import NDArray, Params, autograd, namespaces
from hy_ndarray.ops import Operator
from hy_symbol.graph.compose import node_of
from hy_symbol.graph.node import Entry, Node
from hy_symbol.symbol.symbol import Symbol

__all__ = ["get_symbol"]


def get_symbol(x: NDArray) -> Symbol:
    """Return the recorded computation of an array as a graph with variables ``var0``, ``var1`` ….

    Args:
        x: An array that was computed within ``autograd.record()``.

    Raises:
        AutogradError: The array was not recorded, its tape was freed, or the tape contains an
            ``autograd.Function``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1.0, 2.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = (2 * x).exp()
        >>> graph = get_symbol(y)
        >>> graph.list_arguments(), graph.eval(var0=x)[0].asnumpy().round(1)
        (['var0'], array([ 7.4, 54.6], dtype=float32))
    """
    numbers = count()

    def variable() -> Entry:
        return Node(None, f"var{next(numbers)}"), 0

    def call(op: Operator, inputs: Sequence[Entry | None], params: Params) -> Sequence[Entry]:
        known = op.defaults
        # Only parameters that differ from their default, as MXNet writes attributes.
        changed = {k: v for k, v in params.items() if k not in known or known[k] != v}
        node = node_of(op, inputs, params, op.texts(changed))
        return [(node, i) for i in range(node.num_visible)]

    return Symbol.of(autograd.replay(x, variable, call))


namespaces.register("autograd", get_symbol=get_symbol)
