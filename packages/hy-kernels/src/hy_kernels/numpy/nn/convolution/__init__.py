"""Convolution: the ways to compute one, and the layouts NHWC and CHWN."""
