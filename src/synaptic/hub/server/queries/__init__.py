"""What people ask of the hub: one question, one file; a connection that may read and a filter in, rows out."""
