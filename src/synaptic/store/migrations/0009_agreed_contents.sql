-- What a hook was when somebody agreed to it, so that the next question can show what is different: redacted, compressed,
-- only of the last agreement for each hook, and signed like the agreement.
ALTER TABLE trust ADD COLUMN hook TEXT NOT NULL DEFAULT '';
ALTER TABLE trust ADD COLUMN kept BLOB NOT NULL DEFAULT x'';
ALTER TABLE trust ADD COLUMN kept_mac BLOB NOT NULL DEFAULT x'';
