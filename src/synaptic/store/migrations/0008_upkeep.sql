-- What was lost or written again after the files of the database were changed by somebody else, or damaged.
CREATE TABLE losses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    what TEXT NOT NULL,
    aside TEXT NOT NULL,
    state_lost INTEGER NOT NULL,
    told INTEGER NOT NULL DEFAULT 0
);

-- Runs of hooks and policies per project and day: counted from the journal between events, kept when events are pruned.
CREATE TABLE hook_counts (
    root TEXT NOT NULL,
    hook TEXT NOT NULL,
    day INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    spoke INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    last REAL NOT NULL,
    PRIMARY KEY (root, hook, day)
) WITHOUT ROWID;

-- `counted`: the last event that hook_counts holds. `pruned`: the time up to which events were removed.
CREATE TABLE journal_marks (
    name TEXT PRIMARY KEY,
    value REAL NOT NULL
) WITHOUT ROWID;

-- Pruning looks for what is old.
CREATE INDEX answers_by_age ON answers (at);
