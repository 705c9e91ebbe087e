"""The two files of an exported block: its graph, and the values of its parameters."""

from collections.abc import Mapping

from hy_io import save_together
from hy_ndarray import NDArray
from hy_symbol import Symbol

__all__ = ["write_files"]


def write_files(
    path: str, epoch: int, symbol: Symbol, text: str, values: Mapping[str, NDArray]
) -> tuple[str, str]:
    """Write ``path-symbol.json`` and ``path-0000.params``, both or none; gives their names.

    Args:
        path: Prefix of the file names.
        epoch: Number in the second name.
        symbol: The graph; its inputs say which values are written, in which order.
        text: The graph as JSON.
        values: Values of parameters by name.
    """
    symbol_file, params_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
    states = set(symbol.list_auxiliary_states())
    arrays = {
        f"{'aux' if name in states else 'arg'}:{name}": values[name].asnumpy()
        for name in symbol.list_inputs()
        if name in values
    }
    save_together(path, {f"-{epoch:04d}.params": arrays, "-symbol.json": text})
    return symbol_file, params_file
