-- What decisions rest on: facts, which facts were asked for, catalogs. Each text is kept once, under its own digest.
-- `at` is about when it was used last: what no event that is kept can name any more goes with the next pruning.
CREATE TABLE basis (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    value BLOB NOT NULL
);
ALTER TABLE events ADD COLUMN basis INTEGER;
