-- WHY: a message is counted as views show it when it is stored, by the caps on tool results of that
-- moment, and never changes. Where the caps have changed since, pressure would be wrong for as long
-- as the message stands raw. What such rows hold now lies here, beside the record.
CREATE TABLE recounted (
  -- The branch that it was recorded for; those that fork from it later see it too.
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  message_id      INTEGER NOT NULL REFERENCES message (id),
  -- The newest that a branch sees holds.
  event_id        INTEGER NOT NULL REFERENCES event (id),
  -- In place of the message's view_tokens: what views show before clears are taken off.
  tokens          INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (conversation_id, message_id, event_id)
) WITHOUT ROWID;

-- The caps that the branch's raw messages are counted by, with ` +` where some may be counted by
-- others; empty where nothing is known of them.
ALTER TABLE conversation ADD COLUMN counted_by TEXT NOT NULL DEFAULT '';

CREATE TRIGGER recounted_no_update BEFORE UPDATE ON recounted
BEGIN SELECT RAISE(ABORT, 'a recount never changes'); END;
CREATE TRIGGER recounted_no_delete BEFORE DELETE ON recounted
BEGIN SELECT RAISE(ABORT, 'a recount never vanishes'); END;
