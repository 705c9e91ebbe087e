"""Operators that draw random numbers, and the densities of what they draw."""
