"""Explanation of which kernel table runs an operator."""

from dataclasses import dataclass

from hy_ndarray._dtypes import dtype_name
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.devices._compositions import COMPOSITION
from hy_ndarray.devices._selection import device_of
from hy_ndarray.devices.context import Context, current_context
from hy_ndarray.ops import Operator, find


@dataclass(frozen=True, slots=True)
class Explanation:
    """Result of :func:`explain`: which kernel of which table runs; ``str`` gives a sentence."""

    operator: str
    kernel: str
    context: Context
    table: str
    """Name of the table whose kernel runs; ``"composition"`` if the operator is composed of others,
    whose kernels run."""
    skipped: tuple[str, ...]
    """Names of the tables that were tried before, which lack the kernel."""
    borrowed: str = ""
    """Note on another table's kernel to which the call is delegated; empty if it is not."""

    def __str__(self) -> str:
        what = f"kernel {self.kernel!r} of table {self.table!r}"
        if self.table == COMPOSITION:
            what = "composed of other operators"
        text = f"{self.operator} on {self.context}: {what}"
        missed = ", ".join(map(repr, self.skipped))
        text = f"{text} ({missed} has none)" if missed else text
        return f"{text}: {self.borrowed}" if self.borrowed else text


def explain(op: str | Operator, *operands: NDArray, ctx: Context | None = None) -> Explanation:
    """Return which kernel table runs ``op`` on the device of the operands or of a context.

    Args:
        op: An operator or its name.
        operands: Arrays of the call. The first determines the device; their dtypes matter for
            tables that delegate some dtypes to another table.
        ctx: The context, if there are no operands; the current one if None.

    Raises:
        KernelError: No table of the device has a kernel for it.

    Example:
        >>> print(explain("broadcast_add"))
        broadcast_add on cpu(0): kernel 'broadcast_add' of table 'numpy'
        >>> print(explain("_contrib_quadratic"))
        _contrib_quadratic on cpu(0): composed of other operators ('numpy' has none)
    """
    record = op if isinstance(op, Operator) else find(op)
    context = operands[0].context if operands else ctx or current_context()
    device = device_of(context)
    source = device.source(record.kernel)
    names = [table.name for table in device.kernels.tables]
    count = len(device.kernels.own) if source == COMPOSITION else names.index(source)
    skipped = tuple(names[:count])
    dtypes = [dtype_name(x.dtype) for x in operands]
    borrowed = device.borrowed(record.kernel, dtypes)
    return Explanation(record.name, record.kernel, context, source, skipped, borrowed)
