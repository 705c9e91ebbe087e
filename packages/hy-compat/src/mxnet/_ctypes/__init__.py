"""The low-level layer of MXNet's arrays, as far as programs use it."""
