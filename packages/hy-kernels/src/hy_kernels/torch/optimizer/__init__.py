"""Optimizers: their rules as steps on lists of tensors."""
