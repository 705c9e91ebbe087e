"""Operators that draw random numbers, and the probability densities of distributions."""
