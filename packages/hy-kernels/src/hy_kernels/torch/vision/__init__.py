"""Kernels of images, boxes and regions."""
