"""State of each thread: recording, training mode, NumPy's semantics, casting policies."""

import threading

from hy_ndarray.core._policy import CastingPolicy

__all__ = [
    "casting_policy",
    "casts",
    "enter_policy",
    "is_np_array",
    "is_np_shape",
    "leave_policy",
    "policy",
    "scope",
    "set_np_array",
    "set_np_shape",
    "set_policy",
]


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

# One global that each call reads; scopes of the thread are looked at only where it is set.
casts = False
"""Whether any thread may have a casting policy in force."""

# ``_scopes + 1`` of two threads at once would lose one.
_policies = threading.Lock()
_scopes = 0


def _changed(new: CastingPolicy | None, scopes: int) -> None:
    global policy, casts, _scopes  # noqa: PLW0603  # of the whole process
    policy, _scopes = new, scopes
    casts = policy is not None or _scopes > 0


def set_policy(new: CastingPolicy | None) -> CastingPolicy | None:
    """Set the casting policy of the process; return the one before."""
    with _policies:
        before = policy
        _changed(new, _scopes)
    return before


def enter_policy(new: CastingPolicy | None) -> None:
    """Begin a scope of this thread with a casting policy, or without one."""
    scope.policies = (*scope.policies, new)
    with _policies:
        _changed(policy, _scopes + 1)


def leave_policy() -> None:
    """End the innermost scope of this thread that has a casting policy."""
    scope.policies = scope.policies[:-1]
    with _policies:
        _changed(policy, _scopes - 1)


def casting_policy() -> CastingPolicy | None:
    """Return the casting policy of this thread: its innermost scope's, else the process's."""
    if not casts:
        return None
    return scope.policies[-1] if scope.policies else policy


def is_np_shape() -> bool:
    """Return whether shapes have numpy's meaning in this thread."""
    return scope.np_shape


def set_np_shape(active: bool) -> bool:
    """Set whether shapes have numpy's meaning in this thread; return the setting before.

    Args:
        active: True: 0 is a size, ``()`` a shape without axes, and -1 a size that is not known.
            False, as in MXNet before numpy semantics: 0 is a size that is not known, and ``()`` a
            shape of which nothing is known.
    """
    before = scope.np_shape
    scope.np_shape = bool(active)
    return before


def is_np_array() -> bool:
    """Return whether blocks, parameters and data in this thread use ``np.ndarray``."""
    return scope.np_array


def set_np_array(active: bool) -> bool:
    """Set the class of arrays that blocks, parameters and data use; return the setting before.

    Args:
        active: True for ``np.ndarray``, False for ``NDArray``.
    """
    before = scope.np_array
    scope.np_array = bool(active)
    return before
