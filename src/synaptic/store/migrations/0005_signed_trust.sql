-- An agreement without a signature of this installation does not count: rows of older versions have none.
ALTER TABLE trust ADD COLUMN mac BLOB NOT NULL DEFAULT x'';
