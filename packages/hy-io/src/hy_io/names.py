"""Conversion between the three naming schemes of parameters in files.

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

from hy_io._errors import ArgumentError

__all__ = [
    "Dialect",
    "dialect_of",
    "join_arg_aux",
    "rename_parameters",
    "split_arg_aux",
    "to_exported",
]

Dialect: TypeAlias = Literal["exported", "structural", "prefixed"]
T = TypeVar("T")

_ARG, _AUX = "arg:", "aux:"
_STATES = ("running_mean", "running_var", "moving_mean", "moving_var", "moving_avg")


def dialect_of(names: Iterable[str]) -> Dialect:
    """Detect the naming scheme of the names in a file.

    Names with the tags ``arg:`` and ``aux:`` are ``exported``, others with a dot ``structural``,
    and all others ``prefixed``. A block without children also saves names without a dot
    (``weight``, ``bias``), so a loader that knows the names of its block should compare with these
    first.

    Args:
        names: The names in the file, in any order.

    Returns:
        The scheme of all names; ``structural`` if there are no names.

    Raises:
        ValueError: Some names have the tag ``arg:`` or ``aux:`` and others do not.

    Example:
        >>> dialect_of(["0.weight", "0.bias"])
        'structural'
    """
    listed = list(names)
    tagged = [name.startswith((_ARG, _AUX)) for name in listed]
    if any(tagged):
        # A mixture of tagged names and others has no loader: MXNet's would drop the others
        # silently.
        if not all(tagged):
            raise _no_tag("dialect_of", listed[tagged.index(False)])
        return "exported"
    return "prefixed" if listed and not any("." in name for name in listed) else "structural"


def split_arg_aux(arrays: Mapping[str, T]) -> tuple[dict[str, T], dict[str, T]]:
    """Split arrays into learned parameters and auxiliary states, and remove the tags from names.

    Args:
        arrays: Values by names that start with ``arg:`` or ``aux:``.

    Returns:
        The learned parameters (``arg:``) and the auxiliary states (``aux:``), in the order of
        ``arrays``.

    Raises:
        ValueError: A name has neither tag.

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
            raise _no_tag("split_arg_aux", name)
    return arg, aux


def join_arg_aux(arg: Mapping[str, T], aux: Mapping[str, T]) -> dict[str, T]:
    """Add the tags ``arg:`` and ``aux:`` to names, and merge; inverse of `split_arg_aux`.

    Args:
        arg: Learned parameters.
        aux: Auxiliary states, such as running means.

    Returns:
        The values of ``arg``, then those of ``aux``, by tagged names.

    Example:
        >>> join_arg_aux({"fc_weight": 1}, {"bn_mean": 2})
        {'arg:fc_weight': 1, 'aux:bn_mean': 2}
    """
    tagged = {f"{_ARG}{name}": value for name, value in arg.items()}
    return tagged | {f"{_AUX}{name}": value for name, value in aux.items()}


def to_exported(arrays: Mapping[str, T], aux: Iterable[str] | None = None) -> dict[str, T]:
    """Return the arrays with the tag ``arg:`` or ``aux:`` added to names, if they are untagged.

    Args:
        arrays: Values by names of any dialect.
        aux: Names of the auxiliary states; None for all names with MXNet's suffixes
            ``running_mean``, ``running_var``, ``moving_mean``, ``moving_var``, ``moving_avg``.

    Returns:
        The values in the same order.

    Raises:
        ValueError: Some names have a tag and others do not.

    Example:
        >>> to_exported({"bn_gamma": 1, "bn_running_mean": 2})
        {'arg:bn_gamma': 1, 'aux:bn_running_mean': 2}
    """
    if arrays and dialect_of(arrays) == "exported":
        return dict(arrays)
    # Without a graph only the names tell states from parameters; these are Gluon's.
    states = {name for name in arrays if name.endswith(_STATES)} if aux is None else set(aux)
    return {f"{_AUX if name in states else _ARG}{name}": arrays[name] for name in arrays}


def rename_parameters(
    arrays: Mapping[str, T],
    dialect: Dialect,
    structure: Mapping[str, str] | None = None,
    aux: Iterable[str] | None = None,
) -> dict[str, T]:
    """Convert names of any naming scheme to the scheme ``dialect``.

    Args:
        arrays: Values by names of any dialect.
        dialect: The target scheme.
        structure: Prefixed names by structural names, as returned for a block by
            ``{k: p.name for k, p in block._collect_params_with_prefix().items()}``; needed from and
            to ``structural``. Several structural names may share one prefixed name.
        aux: See `to_exported`.

    Returns:
        The values by their new names.

    Raises:
        ValueError: ``structure`` is needed or lacks a name, or two values would get the same name.

    Example:
        >>> names = {"0.weight": "net_dense0_weight"}
        >>> rename_parameters({"0.weight": 1}, "exported", names)
        {'arg:net_dense0_weight': 1}
        >>> rename_parameters({"arg:net_dense0_weight": 1}, "structural", names)
        {'0.weight': 1}
    """
    source_dialect = dialect_of(arrays)
    # Tags off first: the structure knows plain names.
    plain = {name.removeprefix(_ARG).removeprefix(_AUX): name for name in arrays}
    if len(plain) < len(arrays):
        raise ArgumentError("rename_parameters: a name is there under arg: and under aux:")
    if "structural" in {source_dialect, dialect} and source_dialect != dialect and arrays:
        if structure is None:
            raise ArgumentError(
                f"rename_parameters: from {source_dialect} to {dialect} names needs `structure`, "
                "the prefixed name of each structural name"
            )
        plain = _through(plain, structure, to_structural=dialect == "structural")
    values = {name: arrays[old] for name, old in plain.items()}
    if dialect != "exported":
        return values
    if source_dialect == "exported":
        aux = [name for name, old in plain.items() if old.startswith(_AUX)]
    elif aux is not None:
        auxiliary = set(aux)
        aux = [name for name, old in plain.items() if name in auxiliary or old in auxiliary]
    return to_exported(values, aux)


def _through(
    plain: Mapping[str, str], structure: Mapping[str, str], *, to_structural: bool
) -> dict[str, str]:
    if to_structural:
        missing = set(plain) - set(structure.values())
        renamed = {new: plain[name] for new, name in structure.items() if name in plain}
    else:
        missing = set(plain) - set(structure)
        renamed = {structure[name]: old for name, old in plain.items() if name in structure}
    if missing:
        raise ArgumentError(f"rename_parameters: structure does not know {sorted(missing)}")
    return renamed


def _no_tag(function: str, name: str) -> ValueError:
    return ValueError(
        f"{function}: name {name!r} has no {_ARG!r} or {_AUX!r}; the names of one file are "
        "either all tagged or none is"
    )
