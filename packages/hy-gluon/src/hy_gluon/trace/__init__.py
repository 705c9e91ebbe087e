"""Trace: what a block becomes when it is called with symbols, and the calls each trace is for."""
