-- WHY: pins are kept outside all summaries, word for word. A pin is written once; where it stands
-- is written anew at each change, so that a branch sees it as it stood when the branch began.

-- A pin. Its id is that of the event that made it; the words hold no hash of anything, so that they
-- can be erased.
CREATE TABLE pin (
  id              INTEGER PRIMARY KEY REFERENCES event (id),
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  kind            TEXT    NOT NULL CHECK (kind IN ('constraint', 'decision', 'plan', 'fact')),
  -- The message that it comes from, if it comes from one.
  source_id       INTEGER REFERENCES message (id),
  -- What its line costs in a view at most.
  tokens          INTEGER NOT NULL CHECK (tokens > 0),
  text            TEXT    NOT NULL CHECK (text <> '')
);

-- Where a pin stands since an event: the newest row that a branch sees holds. The first row of a
-- pin has the pin's own id.
CREATE TABLE pin_state (
  id              INTEGER PRIMARY KEY REFERENCES event (id),
  -- The branch it was changed on, which may see the pin by inheritance only.
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  pin_id          INTEGER NOT NULL REFERENCES pin (id),
  state           TEXT    NOT NULL CHECK (state IN ('proposed', 'live', 'retired')),
  made_by         TEXT    NOT NULL CHECK (made_by IN ('auto', 'hand')),
  -- The place of the message that brought the change about, 0 for none.
  cause_seq       INTEGER NOT NULL DEFAULT 0 CHECK (cause_seq >= 0)
);
CREATE INDEX pin_state_conversation ON pin_state (conversation_id, id);

-- How far users' words were looked through for constraints.
ALTER TABLE conversation ADD COLUMN pin_mark INTEGER NOT NULL DEFAULT 0 CHECK (pin_mark >= 0);
-- The last change of pins that a branch sees of an ancestor. Branches made before this column see
-- none: their mark is 0, so that they find them anew.
ALTER TABLE lineage ADD COLUMN max_pin_id INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER pin_no_update BEFORE UPDATE ON pin
BEGIN SELECT RAISE(ABORT, 'a pin never changes'); END;
CREATE TRIGGER pin_no_delete BEFORE DELETE ON pin
BEGIN SELECT RAISE(ABORT, 'a pin never vanishes'); END;
CREATE TRIGGER pin_state_no_update BEFORE UPDATE ON pin_state
BEGIN SELECT RAISE(ABORT, 'what became of a pin never changes'); END;
CREATE TRIGGER pin_state_no_delete BEFORE DELETE ON pin_state
BEGIN SELECT RAISE(ABORT, 'what became of a pin never vanishes'); END;
