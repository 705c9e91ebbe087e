"""Blocks, parameters, hybridization, training, layers, losses, data."""
