"""The room that drives clients offline."""
