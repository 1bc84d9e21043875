"""The host's side: a process of its own reads the journal behind durable cursors and brings it to its destinations."""
