"""Elementwise kernels, and binary ones that broadcast."""
