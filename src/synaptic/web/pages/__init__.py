"""One page, one file: what it reads, and its addresses."""
