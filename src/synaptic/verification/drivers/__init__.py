"""One client, one file: its settings, its command line and its tools, for a session that a scripted model leads."""
