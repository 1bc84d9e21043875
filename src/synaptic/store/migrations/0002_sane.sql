-- Sections whose signature was wrong, as they were found: kept for whoever looks into it.
CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    section TEXT NOT NULL,
    value BLOB NOT NULL,
    mac BLOB NOT NULL,
    at REAL NOT NULL
);
