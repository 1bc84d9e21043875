"""Ratios against /bin/true and against peers, in one run."""
