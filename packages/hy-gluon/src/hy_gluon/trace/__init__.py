"""Trace: blocks traced into graphs, and the guards of each trace."""
