-- Lines that a decided call has left to write to operators' files, until the process that promised them has done it.
-- `lines` is only there for calls whose journal entry does not hold them.
CREATE TABLE promises (
    owner TEXT NOT NULL,
    number INTEGER NOT NULL,
    call TEXT NOT NULL,
    root TEXT NOT NULL,
    lines BLOB,
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;
