"""The layer under MXNet's arrays, as far as programs reach into it."""
