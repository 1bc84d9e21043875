"""The hub in a browser: the console's look over the events of all hosts. It reads, and decides nothing."""
