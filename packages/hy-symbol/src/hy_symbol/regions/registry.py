"""Registry of backends: of this package, registered ones, and of other packages."""

from functools import cache
from typing import TYPE_CHECKING

from hy_ndarray import ArgumentError
from hy_ndarray.warning import warn
from hy_symbol._errors import BackendError
from hy_symbol.regions.protocols import Backend, Rewriter, Runner

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "GROUP",
    "find_backend",
    "find_runner",
    "installed_backends",
    "known_backends",
    "register_backend",
    "unregister_backend",
]

GROUP = "hy.backends"
_ENGINES = ("onnxruntime", "openvino")
"""Backends of hy-onnx, which may not be installed."""
_registered: dict[str, Backend] = {}


def register_backend(name: str, backend: Backend) -> None:
    """Register a backend for ``optimize_for`` and ``hybridize``.

    Packages can instead declare an entry point of the group ``hy.backends``: a function without
    arguments that returns the backend. The package is then imported on first use.

    Args:
        name: Name under which users select it.
        backend: A :class:`Rewriter` or a :class:`Runner`, which need not derive from these.

    Raises:
        ArgumentError: The backend implements neither protocol, or another backend has that name.

    Example:
        >>> class Nothing:
        ...     def rewrite(self, graph, facts, options):
        ...         return Rewritten(graph)
        >>> from hy_symbol.backends import Rewritten
        >>> register_backend("nothing", Nothing())
        >>> "nothing" in known_backends()
        True
        >>> unregister_backend("nothing")
    """
    if not name or not isinstance(name, str):
        raise ArgumentError(f"register_backend: the name must be a string, not {name!r}")
    _check_backend(backend, f"register_backend({name!r})")
    if _registered.get(name, backend) is not backend:
        raise ArgumentError(
            f"register_backend: {name!r} is already registered, for {_registered[name]!r}; "
            "choose another name"
        )
    _registered[name] = backend


def unregister_backend(name: str) -> None:
    """Remove a registered backend; a package's backend is loaded again on its next use.

    Raises:
        BackendError: No backend of that name was registered.
    """
    if _registered.pop(name, None) is None:
        raise BackendError(f"no backend was registered as {name!r}: {', '.join(_registered)}")


def _check_backend(backend: object, source: str) -> None:
    if not isinstance(backend, Rewriter | Runner):
        raise ArgumentError(
            f"{source}: {backend!r} has neither rewrite(), nor prepare(), takes() and compile()"
        )


@cache
def _installed() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415  # 10 ms, and most need no backend

    return {point.name: point for point in entry_points(group=GROUP)}


def known_backends() -> tuple[str, ...]:
    """Return the names of all registered and installed backends, sorted."""
    return tuple(sorted({*_registered, *_installed()}))


def installed_backends() -> tuple[str, ...]:
    """Return the names of usable backends of installed packages, sorted.

    A backend that cannot be loaded is left out, with a warning the first time; `find_backend`
    raises the error.

    Example:
        >>> "channels_last" in installed_backends()  # is of this package
        False
    """
    return tuple(name for name in sorted(_installed()) if _loads(name))


def _loads(name: str) -> bool:
    try:
        find_backend(name)
    except (ArgumentError, BackendError) as error:
        _left_out(str(error))
        return False
    return True


@cache
def _left_out(reason: str) -> None:
    # Cached by the reason, so that each is said once.
    warn(f"{reason}; it is left out", RuntimeWarning)


def find_backend(name: str) -> Backend:
    """Return the backend of that name.

    Raises:
        BackendError: There is none, or its package cannot be loaded; lists the known names.
    """
    registered = _registered.get(name)
    if registered is not None:
        return registered
    point = _installed().get(name)
    if point is None:
        remedy = "hy_symbol.register_backend adds one"
        if name in _ENGINES:
            remedy = f"pip install 'hy-onnx[{name}]' adds it"
        raise BackendError(
            f"no backend is called {name!r}; known are {', '.join(known_backends())}; {remedy}"
        )
    try:
        backend: Backend = point.load()()
    except Exception as error:  # whatever a library that is damaged raises
        raise BackendError(f"backend {name!r} ({point.value}) cannot load: {error}") from error
    _check_backend(backend, f"entry point {point.value!r}")
    # setdefault: two threads that load it agree on one.
    return _registered.setdefault(name, backend)


def find_runner(name: str) -> Runner:
    """Return the backend of that name, which must be a :class:`Runner`.

    Raises:
        BackendError: There is none, or it is a rewriter, which runs no nodes.
    """
    backend = find_backend(name)
    if not isinstance(backend, Runner):
        raise BackendError(f"backend {name!r} rewrites graphs, it cannot run a part of one")
    return backend
