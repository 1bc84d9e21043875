"""Documentation: the guide by hand, the reference from code."""
