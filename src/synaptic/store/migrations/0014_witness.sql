-- What became of every tool call: the numbers are digests under the key of this home, `flags` is what is known.
-- A session's calls lie together, so that what is too old goes in one piece.
CREATE TABLE witness (
    session INTEGER NOT NULL,
    call INTEGER NOT NULL, -- of the number that the agent gave it; 0 where it gives none
    input INTEGER NOT NULL,
    asked INTEGER NOT NULL, -- the event before it ran; 0 when there was none
    ran INTEGER NOT NULL, -- the event that told its result
    at INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    PRIMARY KEY (session, call, input)
) WITHOUT ROWID;
-- 256: a person was told. These are few, and `status` looks for them.
CREATE INDEX witness_alarms ON witness (at) WHERE flags & 256;

-- Sessions whose calls are witnessed, and up to where the agent's own transcript has been compared with them.
CREATE TABLE witness_sessions (
    session INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    transcript TEXT NOT NULL DEFAULT '',
    place INTEGER NOT NULL DEFAULT 0,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL
);
