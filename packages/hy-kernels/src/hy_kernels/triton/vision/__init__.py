"""Kernels on images, boxes and regions."""
