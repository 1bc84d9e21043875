-- How often a hook took about so long, per project and day: `duration` is the number of digits of its microseconds and
-- the first two of them. Counted with hook_counts, between events; from it come the median and the slowest calls.
CREATE TABLE hook_times (
    root TEXT NOT NULL,
    hook TEXT NOT NULL,
    day INTEGER NOT NULL,
    duration INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (root, hook, day, duration)
) WITHOUT ROWID;
