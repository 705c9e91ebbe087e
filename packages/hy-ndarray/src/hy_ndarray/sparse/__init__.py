"""Arrays of which only some rows or elements are stored."""
