"""These tests are of those who have LitServe, as hatch's environments do."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("litserve") else ["test_*.py"]
