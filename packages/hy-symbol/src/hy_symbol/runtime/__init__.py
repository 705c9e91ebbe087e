"""Runtime: programs and what they report of themselves."""
