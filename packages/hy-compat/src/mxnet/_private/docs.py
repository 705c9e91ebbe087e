"""``mxnet.ndarray_doc`` and ``mxnet.symbol_doc``: additional documentation of operators."""

import re
from collections.abc import Sequence
from typing import Any

from hy_symbol import Symbol
from mxnet.base import build_param_doc

_build_param_doc = build_param_doc
_re = re


class NDArrayDoc:
    """Base class of operators' additional docstrings, named ``<operator>Doc``."""


class ReshapeDoc(NDArrayDoc):
    """Additional documentation of ``reshape``."""


class elemwise_addDoc(NDArrayDoc):  # noqa: N801  # MXNet's name
    """Additional documentation of ``elemwise_add``."""


class BroadcastToDoc(NDArrayDoc):
    """Additional documentation of ``broadcast_to``."""


class StackDoc(NDArrayDoc):
    """Additional documentation of ``stack``."""


class CustomDoc(NDArrayDoc):
    """Additional documentation of ``Custom``."""


class SymbolDoc:
    """Base class of operators' additional docstrings, named ``<operator>Doc``."""

    @staticmethod
    def get_output_shape(
        sym: Symbol, **input_shapes: tuple[int, ...]
    ) -> dict[str, tuple[int, ...]]:
        """Return the shapes of a graph's outputs by name.

        Args:
            sym: The graph.
            input_shapes: Shapes of the inputs by name.
        """
        shapes: Any = sym.infer_shape(**input_shapes)[1]
        return dict(zip(sym.list_outputs(), shapes or (), strict=True))


class ActivationDoc(SymbolDoc):
    """Additional documentation of ``Activation``."""


class DropoutDoc(SymbolDoc):
    """Additional documentation of ``Dropout``."""


class EmbeddingDoc(SymbolDoc):
    """Additional documentation of ``Embedding``."""


class FlattenDoc(SymbolDoc):
    """Additional documentation of ``Flatten``."""


class FullyConnectedDoc(SymbolDoc):
    """Additional documentation of ``FullyConnected``."""


class ConcatDoc(SymbolDoc):
    """Additional documentation of ``Concat``."""


class BroadcastPlusDoc(SymbolDoc):
    """Additional documentation of ``broadcast_plus``."""


def _build_doc(
    func_name: str,
    desc: str,
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_desc: Sequence[str],
    key_var_num_args: str | None = None,
    ret_type: str | None = None,
) -> str:
    """Return the docstring of an operator's function.

    Args:
        func_name: Name of the function.
        desc: Description of the function.
        arg_names: Names of the parameters.
        arg_types: Types of the parameters.
        arg_desc: Descriptions of the parameters.
        key_var_num_args: Name of the parameter with the number of inputs.
        ret_type: Type of the result.
    """
    more = next(
        (
            kind.__doc__ or ""
            for kind in NDArrayDoc.__subclasses__()
            if kind.__name__ == f"{func_name}Doc"
        ),
        "",
    )
    parameters = build_param_doc(arg_names, arg_types, arg_desc)
    if key_var_num_args:
        parameters += "This function support variable length of positional input.\n"
    returns = ret_type or "NDArray or list of NDArrays"
    text = f"{desc}\n\n{parameters}\nReturns\n-------\nout : {returns}\n"
    text += "    The output of this function."
    return f"{text}\n{more}" if more else text
