"""The names that parameters have in files: three dialects, and how to turn them into each other.

==============  ======================================  ==========================================
dialect         names                                   written by
==============  ======================================  ==========================================
``exported``    ``arg:conv0_weight``, ``aux:bn0_mean``  ``HybridBlock.export``, ``Module``
``structural``  ``features.0.weight``                   ``Block.save_parameters``
``prefixed``    ``net0_conv0_weight``                   ``ParameterDict.save``, old ``save_params``
==============  ======================================  ==========================================
"""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, TypeVar

__all__ = ["Dialect", "dialect_of", "join_arg_aux", "split_arg_aux"]

Dialect: TypeAlias = Literal["exported", "structural", "prefixed"]
T = TypeVar("T")

_ARG, _AUX = "arg:", "aux:"


def dialect_of(names: Iterable[str]) -> Dialect:
    """Tell from the names in a file what wrote it.

    The marks ``arg:`` and ``aux:`` decide first, then a dot. Names without either are
    ``prefixed``; a block without children also saves such names (``weight``, ``bias``), so
    a loader that knows the names of its block should try these first.

    Args:
        names: The names in the file, in any order.

    Returns:
        The dialect of all of them; ``structural`` if there are none.

    Raises:
        ValueError: Some names have the mark ``arg:`` or ``aux:`` and others do not.

    Example:
        >>> dialect_of(["0.weight", "0.bias"])
        'structural'
    """
    listed = list(names)
    marked = [name.startswith((_ARG, _AUX)) for name in listed]
    if any(marked):
        if not all(marked):
            raise _no_mark("dialect_of", listed[marked.index(False)])
        return "exported"
    return "prefixed" if listed and not any("." in name for name in listed) else "structural"


def split_arg_aux(arrays: Mapping[str, T]) -> tuple[dict[str, T], dict[str, T]]:
    """Separate learned parameters from auxiliary states, and take the marks off their names.

    Args:
        arrays: Values by names that start with ``arg:`` or ``aux:``.

    Returns:
        The values of ``arg:`` and the values of ``aux:``, each in the order of ``arrays``.

    Raises:
        ValueError: A name has neither mark.

    Example:
        >>> split_arg_aux({"arg:fc_weight": 1, "aux:bn_mean": 2})
        ({'fc_weight': 1}, {'bn_mean': 2})
    """
    arg: dict[str, T] = {}
    aux: dict[str, T] = {}
    for name, value in arrays.items():
        if name.startswith(_ARG):
            arg[name.removeprefix(_ARG)] = value
        elif name.startswith(_AUX):
            aux[name.removeprefix(_AUX)] = value
        else:
            raise _no_mark("split_arg_aux", name)
    return arg, aux


def join_arg_aux(arg: Mapping[str, T], aux: Mapping[str, T]) -> dict[str, T]:
    """Mark names as learned or auxiliary, for one file; undoes `split_arg_aux`.

    Args:
        arg: Learned parameters.
        aux: Auxiliary states, such as running means.

    Returns:
        ``arg`` and then ``aux``, under ``arg:`` and ``aux:`` names.

    Example:
        >>> join_arg_aux({"fc_weight": 1}, {"bn_mean": 2})
        {'arg:fc_weight': 1, 'aux:bn_mean': 2}
    """
    marked = {f"{_ARG}{name}": value for name, value in arg.items()}
    return marked | {f"{_AUX}{name}": value for name, value in aux.items()}


def _no_mark(function: str, name: str) -> ValueError:
    return ValueError(
        f"{function}: name {name!r} has no {_ARG!r} or {_AUX!r}; the names of one file are "
        "either all marked or not at all"
    )
