"""Operators on images, bounding boxes and regions of interest."""
