"""Memory, devices and launches of this table."""
