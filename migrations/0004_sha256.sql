-- WHY: whoever holds an imported file can check that a message is what the file says: the hash of
-- its record is kept beside its place. Rows imported before have none. Erasable like the rest of
-- the row, and outside the chain.

ALTER TABLE provenance ADD COLUMN sha256 BLOB
  CHECK (sha256 IS NULL OR (typeof(sha256) = 'blob' AND length(sha256) = 32));
