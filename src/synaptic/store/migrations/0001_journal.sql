-- Ids are rowids that are never used twice: a clock that jumps changes no order.
-- Call ids are time-ordered, so their unique index grows at its end like the table itself.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    call TEXT NOT NULL UNIQUE,
    at REAL NOT NULL,
    agent TEXT NOT NULL,
    event TEXT NOT NULL,
    session TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    root TEXT NOT NULL,
    kind TEXT NOT NULL,
    micros INTEGER NOT NULL,
    size INTEGER NOT NULL,
    payload BLOB,
    decision BLOB NOT NULL,
    stdout BLOB,
    stderr BLOB,
    exit INTEGER NOT NULL,
    replay INTEGER NOT NULL
);
CREATE INDEX events_session ON events (session);

-- Answers that the journal does not keep, for as long as a request may be repeated.
CREATE TABLE answers (
    call TEXT PRIMARY KEY,
    at REAL NOT NULL,
    stdout BLOB,
    stderr BLOB,
    exit INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    call TEXT NOT NULL,
    hook TEXT NOT NULL,
    session TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    text TEXT NOT NULL,
    at REAL NOT NULL,
    delivered TEXT NOT NULL DEFAULT '',
    UNIQUE (call, hook)
);
CREATE INDEX deliveries_pending ON deliveries (session, agent_id, delivered);

CREATE TABLE stops (
    session TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    count INTEGER NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (session, agent_id)
) WITHOUT ROWID;

CREATE TABLE trust (
    root TEXT NOT NULL,
    digest TEXT NOT NULL,
    label TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (root, digest)
) WITHOUT ROWID;

-- Folders that the user added to a session's workspace.
CREATE TABLE workspaces (
    session TEXT NOT NULL,
    directory TEXT NOT NULL,
    PRIMARY KEY (session, directory)
) WITHOUT ROWID;

-- Sections that policies remember between events, signed with the key of this home.
CREATE TABLE state (
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    section TEXT NOT NULL,
    value BLOB NOT NULL,
    mac BLOB NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (scope, owner, section)
) WITHOUT ROWID;
