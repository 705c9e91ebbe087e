"""Kernels on images, boxes and regions of interest."""
