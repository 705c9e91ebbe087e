"""Kernels of neural network layers."""
