"""Compile: from a typed graph to a plan, and from a plan to code."""
