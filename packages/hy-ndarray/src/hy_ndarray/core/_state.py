"""Per-thread state: recording, training mode, NumPy's semantics, casting policies."""

import threading

from hy_ndarray.core._policy import CastingPolicy


class _Scope(threading.local):
    recording: bool = False
    training: bool = False
    np_shape: bool = False
    uncast: bool = False
    np_array: bool = False
    policies: tuple[CastingPolicy | None, ...] = ()
    """The policies of the scopes that this thread is in."""


scope = _Scope()

policy: CastingPolicy | None = None
"""The casting policy of the process, for calls outside of scopes."""

# A single global that each call reads; thread-local scopes are consulted only if it is set.
casts = False
"""Whether any thread may have a casting policy in force."""

# Guards the counter: two threads incrementing it at once would lose one.
_policies = threading.Lock()
_scopes = 0


def _changed(new: CastingPolicy | None, scopes: int) -> None:
    global policy, casts, _scopes  # noqa: PLW0603  # of the whole process
    policy, _scopes = new, scopes
    casts = policy is not None or _scopes > 0


def set_policy(new: CastingPolicy | None) -> CastingPolicy | None:
    """Set the casting policy of the process; return the previous one."""
    with _policies:
        before = policy
        _changed(new, _scopes)
    return before


def enter_policy(new: CastingPolicy | None) -> None:
    """Enter a scope of this thread with a casting policy, or with none."""
    scope.policies = (*scope.policies, new)
    with _policies:
        _changed(policy, _scopes + 1)


def leave_policy() -> None:
    """Leave the innermost casting-policy scope of this thread."""
    scope.policies = scope.policies[:-1]
    with _policies:
        _changed(policy, _scopes - 1)


def casting_policy() -> CastingPolicy | None:
    """Return the casting policy in force: of this thread's innermost scope, else the process."""
    if not casts:
        return None
    return scope.policies[-1] if scope.policies else policy


def is_np_shape() -> bool:
    """Return whether NumPy's shape semantics are on in this thread; see :func:`set_np_shape`."""
    return scope.np_shape


def set_np_shape(active: bool) -> bool:
    """Switch NumPy's shape semantics on or off in this thread; return the previous setting.

    Args:
        active: True: size 0 means empty, ``()`` is the shape of a scalar, -1 an unknown size.
            False, MXNet's legacy semantics: 0 is an unknown size, and ``()`` an unknown shape.
    """
    before = scope.np_shape
    scope.np_shape = bool(active)
    return before


def is_np_array() -> bool:
    """Return whether blocks, parameters and data in this thread use ``np.ndarray``."""
    return scope.np_array


def set_np_array(active: bool) -> bool:
    """Set which array class blocks, parameters and data use; return the previous setting.

    Args:
        active: True for ``np.ndarray``, False for ``NDArray``.
    """
    before = scope.np_array
    scope.np_array = bool(active)
    return before
