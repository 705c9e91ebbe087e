"""For tests of kernel tables, and of packages that bring one."""

from hy_ndarray._tables import fresh_tables

__all__ = ["fresh_tables"]
