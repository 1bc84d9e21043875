-- What a person said yes to. Every row is signed over all that decides: one that was written past us does not count.
CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    at REAL NOT NULL,
    policy TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    subject TEXT NOT NULL,
    expires REAL NOT NULL,
    value BLOB NOT NULL,
    mac BLOB NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    last_used REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX grants_by_act ON grants (policy, fingerprint, subject);

-- Refusals and questions by their handle, each kept once however often it came again: what a person may answer.
CREATE TABLE refused (
    mark TEXT PRIMARY KEY,
    code TEXT NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    count INTEGER NOT NULL,
    call TEXT NOT NULL,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    said TEXT NOT NULL DEFAULT '',
    appeal TEXT NOT NULL DEFAULT '',
    appealed_at REAL NOT NULL DEFAULT 0,
    answer TEXT NOT NULL DEFAULT '',
    answered_at REAL NOT NULL DEFAULT 0,
    value BLOB NOT NULL,
    mac BLOB NOT NULL
) WITHOUT ROWID;
-- None by time: it would have to be written with each refusal, and the few thousand rows are sorted when a person looks.
CREATE INDEX refused_by_code ON refused (code);
