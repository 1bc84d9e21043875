-- Up to where a window's transcript has been taken into messages. `transcript_offset` is another one: how far it was
-- read to see how full the context is.
ALTER TABLE sessions ADD COLUMN ingested_offset INTEGER NOT NULL DEFAULT 0;
