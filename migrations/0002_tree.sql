-- WHY: the tree is two integers. A summary covers first_seq..last_seq; who is whose child follows
-- from spans and depths by a walk, so there are no edges and nothing to renumber.

CREATE TABLE summary (
  id              INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  depth           INTEGER NOT NULL CHECK (depth >= 0),
  first_seq       INTEGER NOT NULL CHECK (first_seq >= 1),
  last_seq        INTEGER NOT NULL CHECK (last_seq >= first_seq),
  generation      INTEGER NOT NULL CHECK (generation >= 0),
  origin          TEXT    NOT NULL CHECK (origin IN ('model', 'floor', 'fallback')),
  tokens          INTEGER NOT NULL CHECK (tokens > 0),
  from_at         INTEGER,
  to_at           INTEGER,
  model           TEXT,
  body            TEXT    NOT NULL,
  UNIQUE (conversation_id, depth, first_seq, generation),
  UNIQUE (conversation_id, depth, last_seq, generation)
);
-- The walk: the deepest row that starts here, newest generation first.
CREATE INDEX summary_walk ON summary (conversation_id, first_seq, depth DESC, generation DESC);
-- Only a repair makes the row above it stale.
CREATE INDEX summary_repair ON summary (conversation_id, first_seq, last_seq, depth)
  WHERE generation > 0;

-- What the engine did, in order. live_id and pointer are their values after the event.
CREATE TABLE event (
  id              INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  kind            TEXT    NOT NULL,
  at              INTEGER NOT NULL,
  first_seq       INTEGER,
  last_seq        INTEGER,
  summary_id      INTEGER REFERENCES summary (id),
  tokens_before   INTEGER,
  tokens_after    INTEGER,
  reason          TEXT,
  live_id         INTEGER NOT NULL,
  pointer         INTEGER NOT NULL,
  window_context  INTEGER,
  window_overhead INTEGER,
  window_reserve  INTEGER
);
CREATE INDEX event_conversation ON event (conversation_id, id);

CREATE TRIGGER summary_no_update BEFORE UPDATE ON summary
BEGIN SELECT RAISE(ABORT, 'a summary never changes'); END;
CREATE TRIGGER summary_no_delete BEFORE DELETE ON summary
BEGIN SELECT RAISE(ABORT, 'a summary never vanishes'); END;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'an event never vanishes'); END;

-- A summary covers stored rows only, and a first generation replaces nothing.
CREATE TRIGGER summary_in_head BEFORE INSERT ON summary
WHEN NEW.last_seq > (SELECT head FROM conversation WHERE id = NEW.conversation_id)
BEGIN SELECT RAISE(ABORT, 'a summary may not reach past the head'); END;
-- A later generation needs the one before it over exactly its span, on the branch or an ancestor.
CREATE TRIGGER summary_repairs BEFORE INSERT ON summary
WHEN NEW.generation > 0 AND NOT EXISTS (
  SELECT 1 FROM lineage AS l
  JOIN summary AS s
    ON s.conversation_id = l.ancestor_id AND s.depth = NEW.depth AND s.first_seq = NEW.first_seq
  WHERE l.conversation_id = NEW.conversation_id
    AND s.last_seq = NEW.last_seq AND s.generation = NEW.generation - 1
    AND s.last_seq <= l.max_seq AND s.id <= l.max_id)
BEGIN SELECT RAISE(ABORT, 'a repair needs the generation before it'); END;

-- Keeps two processes from paying for the same summary; needs no durability.
CREATE TABLE lease (
  unit   TEXT    PRIMARY KEY,
  holder TEXT    NOT NULL,
  until  INTEGER NOT NULL
) WITHOUT ROWID;

-- Failures and spending of a completer.
CREATE TABLE breaker (
  name             TEXT    PRIMARY KEY,
  failures         INTEGER NOT NULL,
  open_until       INTEGER,
  next_open_millis INTEGER NOT NULL,
  window_start     INTEGER,
  calls            INTEGER NOT NULL
) WITHOUT ROWID;
