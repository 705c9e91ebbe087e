"""Tracing of blocks into graphs, and the guards that select a trace for a call."""
