"""Operators on images, boxes and regions."""
