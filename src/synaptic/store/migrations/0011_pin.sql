-- The PIN with which a person says yes where nobody can see that one asks: salted, hashed, signed, its wrong tries counted.
CREATE TABLE pin (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    value BLOB NOT NULL,
    mac BLOB NOT NULL
);
