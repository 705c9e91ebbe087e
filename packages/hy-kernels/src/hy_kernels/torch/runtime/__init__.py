"""Memory, devices and CUDA graphs of this table."""
