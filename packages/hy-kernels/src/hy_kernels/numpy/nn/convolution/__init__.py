"""Algorithms of convolution, and convolution in the layouts NHWC and CHWN."""
