"""Operators of optimizers: rules, each defined once, and their derived forms."""

from hy_ndarray.ops.optimizer import (
    adaptive_rules as adaptive_rules,
    arrays as arrays,
    lamb_rules as lamb_rules,
    rules as rules,
)
