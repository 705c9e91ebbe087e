"""Private functions and classes of MXNet's modules.

hy's own code needs none of them; ``_bound.txt`` and ``_members.py`` say where each is found.
"""
