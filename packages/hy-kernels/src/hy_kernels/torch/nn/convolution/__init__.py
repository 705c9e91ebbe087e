"""Convolutions by several algorithms; :mod:`.select` selects one."""
