"""Programs that use hy from end to end; each runs with ``python -m examples.<name>``."""
