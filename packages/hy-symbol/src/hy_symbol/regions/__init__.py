"""Regions: groups of nodes that a backend runs, and the registry of backends."""
