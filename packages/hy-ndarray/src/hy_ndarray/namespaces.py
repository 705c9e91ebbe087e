"""Namespaces of operators: ``contrib``, ``linalg``, ``random`` and others."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from hy_ndarray import ops
from hy_ndarray.ops import Operator
from hy_ndarray.suggestion import unknown_attribute

__all__ = [
    "NAMESPACES",
    "NPX_SINCE_MXNET2",
    "NUMPY_OPERATORS",
    "extension",
    "extensions",
    "fill",
    "full_name",
    "members",
    "names",
    "register",
    "register_lazily",
    "split_name",
    "under_numpy_names",
]

NAMESPACES: tuple[tuple[str, str], ...] = (
    ("_contrib_", "contrib"),
    ("_linalg_", "linalg"),
    ("_image_", "image"),
    ("_random_", "random"),
    ("_sample_", "random"),
    ("_sparse_", "sparse"),
)
"""Name prefixes that put an operator into a sub-namespace, under the rest of its name."""


_NUMPY = {"npx": "_npx_", "npx.image": "_npx__image_"}
"""Operator prefix by namespace that extends ``np``."""

NPX_SINCE_MXNET2: Mapping[str, str] = {
    "add_n": "add_n",
    "bipartite_matching": "_contrib_bipartite_matching",
    "box_decode": "_contrib_box_decode",
    "box_encode": "_contrib_box_encode",
    "box_iou": "_contrib_box_iou",
    "box_nms": "_contrib_box_nms",
    "broadcast_greater": "broadcast_greater",
    "broadcast_like": "broadcast_like",
    "ctc_loss": "CTCLoss",
    "deformable_convolution": "_contrib_DeformableConvolution",
    "instance_norm": "InstanceNorm",
    "interleaved_matmul_encdec_qk": "_contrib_interleaved_matmul_encdec_qk",
    "interleaved_matmul_encdec_valatt": "_contrib_interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk": "_contrib_interleaved_matmul_selfatt_qk",
    "interleaved_matmul_selfatt_valatt": "_contrib_interleaved_matmul_selfatt_valatt",
    "modulated_deformable_convolution": "_contrib_ModulatedDeformableConvolution",
    "norm": "norm",
    "pad": "Pad",
    "round_ste": "_contrib_round_ste",
    "sequence_last": "SequenceLast",
    "sequence_reverse": "SequenceReverse",
    "sign_ste": "_contrib_sign_ste",
    "slice_channel": "SliceChannel",
    "slice_like": "slice_like",
    "softsign": "softsign",
    "sync_batch_norm": "_contrib_SyncBatchNorm",
}
"""Names in ``npx`` of operators that have others in 1.9, by the name."""

NUMPY_OPERATORS = ("_np_", "_npi_", "_npx_")
"""Prefixes of operators that are only in ``np`` and ``npx``."""

_EXTENSIONS: dict[str, dict[str, Any]] = {
    front_end: {} for front_end in ("amp", "autograd", "files", "nd", "np", "npx", "sym")
}
_LAZY: dict[tuple[str, str], str] = {}


def register(front_end: str, **members: Any) -> None:
    """Add members to ``nd``, ``npx``, ``sym``, ``amp`` or ``autograd`` from a higher-level package.

    Args:
        front_end: ``"nd"``, ``"npx"``, ``"sym"``, ``"amp"`` or ``"autograd"``; or ``"files"``,
            functions on files for the lower-level packages.
        members: The members to add, by name.
    """
    _EXTENSIONS[front_end].update(members)


def register_lazily(front_end: str, module: str, *members: str) -> None:
    """Register a module that is imported on first use of its members.

    Args:
        front_end: As for :func:`register`.
        module: The module's full name.
        members: Names of the members that the module registers, or of the module itself.
    """
    _LAZY.update({(front_end, name): module for name in members})


def extension(front_end: str, name: str) -> Any:
    """Return the object that :func:`register` added under ``name``, or None."""
    if name in _EXTENSIONS[front_end] or (front_end, name) not in _LAZY:
        return _EXTENSIONS[front_end].get(name)
    module = import_module(_LAZY[front_end, name])
    return _EXTENSIONS[front_end].get(name, module)


def extensions(front_end: str) -> dict[str, Any]:
    """Return all members added to a front end, by name."""
    return dict(_EXTENSIONS[front_end])


def _lazy_names(front_end: str) -> list[str]:
    return [name for where, name in _LAZY if where == front_end]


def _defined(module: dict[str, Any], function: Any) -> list[str]:
    """Return the public names that a module without ``__all__`` defines."""
    below = module["__name__"] + "."
    return [
        name
        for name, value in module.items()
        if not name.startswith("_")
        and value is not function
        and not isinstance(value, bool)
        and (not isinstance(value, ModuleType) or value.__name__.startswith(below))
    ]


def split_name(name: str) -> tuple[str, str]:
    """Return the namespace of an operator (``""`` for the main one), and its name there.

    Example:
        >>> split_name("_contrib_box_nms"), split_name("softmax")
        (('contrib', 'box_nms'), ('', 'softmax'))
    """
    for prefix, space in NAMESPACES:
        if name.startswith(prefix):
            return space, name.removeprefix(prefix)
    return "", name


def names(space: str) -> tuple[str, ...]:
    """Return the names of the operators in a namespace, sorted."""
    if space in _NUMPY:
        prefix = _NUMPY[space]
        listed = [name.removeprefix(prefix) for name in ops.names() if name.startswith(prefix)]
        listed += NPX_SINCE_MXNET2 if space == "npx" else ()
        return tuple(sorted(name for name in listed if not name.startswith("_")))
    parts = (split_name(name) for name in ops.names() if not name.startswith(NUMPY_OPERATORS))
    return tuple(sorted(name for where, name in parts if where == space))


def full_name(name: str, space: str) -> str | None:
    """Return the full name of the operator called ``name`` in a namespace, or None."""
    if space in _NUMPY:
        if space == "npx" and name in NPX_SINCE_MXNET2:
            return NPX_SINCE_MXNET2[name]
        whole = _NUMPY[space] + name
        return whole if not name.startswith("_") and ops.exists(whole) else None
    if name.startswith(NUMPY_OPERATORS):
        return None
    prefixes = [prefix for prefix, where in NAMESPACES if where == space] or [""]
    return next((p + name for p in prefixes if ops.exists(p + name)), None)


def under_numpy_names(
    module: dict[str, Any], function: Callable[[Operator, str], Any]
) -> dict[str, Any]:
    """Return functions for the operators ``_np_<name>`` that the module does not define.

    In MXNet's ``nd.numpy`` and ``sym.numpy`` these functions take the operators' own arguments, in
    ``np`` NumPy's. Operators with any number of inputs are excluded.

    Args:
        module: The ``globals()`` of a module with functions of ``np``.
        function: Called with an operator and its name there; returns the function.
    """
    operators = {name: ops.find(f"_np_{name}") for name in module if ops.exists(f"_np_{name}")}
    return {name: function(op, name) for name, op in operators.items() if not op.variadic}


def members(
    module: dict[str, Any],
    function: Callable[[Operator, str], Any],
    space: str,
    front_end: str | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for the module of a namespace's operators.

    ``__getattr__`` also answers ``__all__``, so that star imports work.

    Args:
        module: The ``globals()`` of the module; functions are cached there.
        function: Called with an operator and its name there; returns the function.
        space: The namespace; ``""`` is the main one.
        front_end: The front end whose extensions the module contains, if any.
    """
    listed_by_module = module.pop("__all__", None)
    own = listed_by_module or _defined(module, function)

    def offered() -> list[str]:
        if module["__name__"].endswith("._internal"):
            hidden = (name for name in ops.names() if name.startswith("_"))
            return [name for name in hidden if not name.startswith(NUMPY_OPERATORS)]
        operators = [name for name in names(space) if space or not name.startswith("_")]
        added = () if front_end is None else {*extensions(front_end), *_lazy_names(front_end)}
        return sorted({*own, *operators, *added})

    def find(name: str) -> Any:
        if name == "__all__":
            return offered()
        added = None if front_end is None else extension(front_end, name)
        if added is not None:
            return added
        full = full_name(name, space)
        if full is None:
            what = f"module {module['__name__']!r}"
            arrays = sys.modules.get("hy_ndarray.nd")
            if front_end == "sym" and hasattr(arrays, name) and not name.startswith("_"):
                raise AttributeError(
                    f"{what} has no attribute {name!r}: only nd has it, because it creates or "
                    "takes arrays; in hybrid_forward use parameters or constants "
                    "(params.get_constant), or call it outside of the block"
                )
            raise unknown_attribute(what, name, offered)
        module[name] = member = function(ops.find(full), name)
        return member

    def listed() -> list[str]:
        added = () if front_end is None else {*extensions(front_end), *_lazy_names(front_end)}
        return sorted({*(listed_by_module or module), *names(space), *added})

    return find, listed


def fill(module: dict[str, Any], space: str) -> None:
    """Define all operators of a namespace in its module now; GluonCV tests ``contrib.__dict__``.

    Args:
        module: The ``globals()`` of the module, with the ``__getattr__`` of :func:`members`.
        space: The namespace.
    """
    for name in names(space):
        if name not in module:
            module["__getattr__"](name)
