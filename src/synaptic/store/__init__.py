"""SQLite, the one authority: SQL lives only here."""
