"""Optimizer operators: update rules, each defined once, and the operators derived from them."""

from hy_ndarray.ops.optimizer import (
    adaptive_rules as adaptive_rules,
    arrays as arrays,
    lamb_rules as lamb_rules,
    rules as rules,
)
