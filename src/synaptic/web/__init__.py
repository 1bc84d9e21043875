"""The console: what agents do, in a browser. It reads the database, acts through the daemon, and decides nothing."""
