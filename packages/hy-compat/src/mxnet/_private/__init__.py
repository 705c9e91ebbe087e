"""Private functions and classes of MXNet's modules.

They are for programs only; ``_bound.txt`` and ``_members.py`` list the place of each.
"""
