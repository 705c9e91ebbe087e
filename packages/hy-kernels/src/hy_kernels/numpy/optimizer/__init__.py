"""Optimizers: their rules as functions of blocks."""
