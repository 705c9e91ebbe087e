"""Operators of optimizers: rules, each once, and the forms that follow from them."""

from hy_ndarray.ops.optimizer import (
    adaptive_rules as adaptive_rules,
    arrays as arrays,
    lamb_rules as lamb_rules,
    rules as rules,
)
