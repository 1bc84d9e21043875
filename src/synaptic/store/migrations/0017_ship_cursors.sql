-- Up to where each destination has the journal. `mark` is the sequence that it has, `id` and `call` the last event that
-- was handed over, `holds` whether what it lacks stays in the journal.
CREATE TABLE ship_cursors (
    name TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    id INTEGER NOT NULL,
    call TEXT NOT NULL,
    mark INTEGER NOT NULL,
    at REAL NOT NULL,
    shipped INTEGER NOT NULL,
    holds INTEGER NOT NULL
) WITHOUT ROWID;
