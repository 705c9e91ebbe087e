"""What each thread is doing: recording gradients, in training or prediction mode."""

import threading

__all__ = ["scope"]


class _Scope(threading.local):
    recording: bool = False
    training: bool = False


scope = _Scope()
