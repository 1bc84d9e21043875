"""The SQLite database, the only authority for state; all SQL statements are in this package."""
