-- The abilities of a repository, as they were when its files had this signature. Each pool has an index of its own
-- (`ability_words_NUMBER`), so that one repository's words do not weigh in another's.
CREATE TABLE ability_pools (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    root TEXT NOT NULL UNIQUE,
    signature TEXT NOT NULL,
    size INTEGER NOT NULL,
    at REAL NOT NULL
);
CREATE TABLE abilities (
    pool INTEGER NOT NULL,
    position INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (pool, position)
) WITHOUT ROWID;

-- Actions that hooks asked for and nobody has carried out yet.
CREATE TABLE follow_ups (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root TEXT NOT NULL,
    session TEXT NOT NULL,
    call TEXT NOT NULL,
    hook TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    at REAL NOT NULL,
    ended REAL
);
CREATE INDEX follow_ups_waiting ON follow_ups (root, state);

-- Calls of abilities, counted per project, ability and day.
CREATE TABLE ability_usage (
    root TEXT NOT NULL,
    ability TEXT NOT NULL,
    day INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    millis REAL NOT NULL,
    last REAL NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (root, ability, day)
) WITHOUT ROWID;
