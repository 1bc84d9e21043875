"""Policy bundles: checked, signed, fetched and taken in. Decided by them is in `hooks/bundle*.py`."""
