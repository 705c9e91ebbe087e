"""Functions and classes of MXNet's package ``_ctypes`` that programs use."""
