"""MXNet has extension modules here; hy has none."""
