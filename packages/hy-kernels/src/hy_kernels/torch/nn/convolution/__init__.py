"""Convolutions by several algorithms, which :mod:`.select` chooses from."""
