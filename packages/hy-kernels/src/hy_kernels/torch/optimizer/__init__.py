"""Optimizer steps on lists of tensors, from the formulas of rules."""
