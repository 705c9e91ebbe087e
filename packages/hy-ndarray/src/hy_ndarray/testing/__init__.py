"""Test suite for kernel tables: test cases, tolerances and checks.

A table passes if every check holds for every case. The numpy table is the reference; results of
other tables must agree with it up to a tolerance for each operator and dtype.

Example:
    >>> from hy_ndarray.testing import OpCase, TestedTable, check_operator
    >>> from hy_ndarray.testing.cases import FAMILIES
    >>> for case in FAMILIES["indexing.ordering"]:
    ...     applied = check_operator(TestedTable("numpy"), case)
    >>> square = OpCase("square", ((2, 3),), lambda x: x * x)
    >>> check_operator(TestedTable("numpy"), square)[:7]
    ('value', 'types', 'inputs', 'strides', 'out', 'sizes', 'gradient')
"""

from hy_ndarray.devices._selection import fresh_tables
from hy_ndarray.testing.checks import CHECKS, Check, check_operator
from hy_ndarray.testing.op_case import OpCase, drawn, values_of
from hy_ndarray.testing.tested_table import REFERENCE, TOLERANCES, TestedTable, Tolerance

__all__ = [
    "CHECKS",
    "REFERENCE",
    "TOLERANCES",
    "Check",
    "OpCase",
    "TestedTable",
    "Tolerance",
    "check_operator",
    "drawn",
    "fresh_tables",
    "values_of",
]
