"""Optimizer steps: rules compiled to functions that update blocks of weights."""
