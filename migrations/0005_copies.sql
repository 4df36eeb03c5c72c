-- WHY: hosts write the same record to several files when a session is resumed, forked, mirrored or
-- compacted. It is one message; this names where else it was read. Records read before this are not
-- looked for again. Erasable like provenance, and outside the chain.

-- One row for a message and a file, the first that was read there: to read a file again adds none.
-- A record of the file that the message itself came from is no copy, unless that file's host wrote
-- it as a mirror of the other.
CREATE TABLE copy (
  message_id INTEGER NOT NULL REFERENCES message (id),
  source_id  INTEGER NOT NULL REFERENCES source (id),
  offset     INTEGER NOT NULL,
  length     INTEGER NOT NULL,
  line       INTEGER NOT NULL,
  sha256     BLOB CHECK (sha256 IS NULL OR (typeof(sha256) = 'blob' AND length(sha256) = 32)),
  PRIMARY KEY (message_id, source_id)
) WITHOUT ROWID;
