"""Memory, devices and capture of this table."""
