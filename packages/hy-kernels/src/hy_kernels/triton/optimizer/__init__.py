"""Kernels of optimizer updates."""
