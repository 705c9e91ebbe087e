"""Kernel tables for hy-ndarray, each a folder of plain functions over one array library."""
