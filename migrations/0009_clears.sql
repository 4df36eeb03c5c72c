-- WHY: under pressure views show old tool results as one line each. Which ones is recorded, so that
-- a view says the same until something happens, in this process and the next. The bodies stay.
CREATE TABLE cleared (
  -- The branch that it was recorded for; those that fork from it later see it too.
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  message_id      INTEGER NOT NULL REFERENCES message (id),
  -- Which result of its message, from 0.
  nth             INTEGER NOT NULL CHECK (nth >= 0),
  event_id        INTEGER NOT NULL REFERENCES event (id),
  tool            TEXT,
  -- What views showed of it before, and what they save.
  tokens          INTEGER NOT NULL CHECK (tokens > 0),
  saved           INTEGER NOT NULL CHECK (saved BETWEEN 1 AND tokens),
  -- A newer message with the same result.
  same_as         INTEGER REFERENCES message (id),
  PRIMARY KEY (conversation_id, message_id, nth)
) WITHOUT ROWID;

CREATE TRIGGER cleared_no_update BEFORE UPDATE ON cleared
BEGIN SELECT RAISE(ABORT, 'a clear never changes'); END;
CREATE TRIGGER cleared_no_delete BEFORE DELETE ON cleared
BEGIN SELECT RAISE(ABORT, 'a clear never vanishes'); END;
