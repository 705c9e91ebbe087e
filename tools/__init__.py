"""Programs that write checked-in files, run with hatch."""
