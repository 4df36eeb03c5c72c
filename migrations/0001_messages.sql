-- WHY: the record. Messages and parts are written once and never change; conversations hold the
-- counters that may. One sequence gives the ids of messages, summaries and events, so that order
-- of ids is order of commit.

CREATE TABLE sequence (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  last_id INTEGER NOT NULL CHECK (last_id >= 0)
);
INSERT INTO sequence (one, last_id) VALUES (1, 0);

-- A branch. Counters cover inherited rows too.
CREATE TABLE conversation (
  id               INTEGER PRIMARY KEY,
  session_key      TEXT    NOT NULL CHECK (length(CAST(session_key AS BLOB)) BETWEEN 1 AND 1024),
  parent_id        INTEGER REFERENCES conversation (id),
  fork_seq         INTEGER CHECK (fork_seq >= 0),
  fork_summary_id  INTEGER,
  head             INTEGER NOT NULL DEFAULT 0 CHECK (head >= 0),
  n_visible        INTEGER NOT NULL DEFAULT 0,
  sum_tokens       INTEGER NOT NULL DEFAULT 0,
  sum_view         INTEGER NOT NULL DEFAULT 0,
  -- The last row before the talk that is a system prompt, 0 for none.
  prompt_last      INTEGER NOT NULL DEFAULT 0,
  -- The first row of the newest turn; 1 before any.
  turn_first       INTEGER NOT NULL DEFAULT 1,
  -- The newest visible row, 0 before any.
  last_talk        INTEGER NOT NULL DEFAULT 0,
  -- The greatest summary id that views may use, and the greatest there is; they differ while
  -- rows wait for a promotion.
  live_id          INTEGER NOT NULL DEFAULT 0,
  newest_id        INTEGER NOT NULL DEFAULT 0,
  window_context   INTEGER,
  window_overhead  INTEGER,
  window_reserve   INTEGER,
  project          TEXT,
  title            TEXT,
  format           TEXT,
  source_id        INTEGER,
  created_at       INTEGER NOT NULL,
  first_at         INTEGER,
  last_at          INTEGER,
  CHECK ((parent_id IS NULL) = (fork_seq IS NULL))
);
CREATE INDEX conversation_key ON conversation (session_key, id);
CREATE INDEX conversation_parent ON conversation (parent_id) WHERE parent_id IS NOT NULL;

-- The key pointer: which branch a key means now.
CREATE TABLE session (
  key             TEXT    PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  -- Where the host's last list began, for a host that sends a sliding window.
  list_first      INTEGER NOT NULL DEFAULT 1
) WITHOUT ROWID;

-- What a branch sees of itself and its ancestors: their rows up to max_seq and max_id. Written
-- once when the branch is made; each bound is the minimum along the chain.
CREATE TABLE lineage (
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  ancestor_id     INTEGER NOT NULL REFERENCES conversation (id),
  max_seq         INTEGER NOT NULL,
  max_id          INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, ancestor_id)
) WITHOUT ROWID;

CREATE TABLE message (
  id               INTEGER PRIMARY KEY,
  conversation_id  INTEGER NOT NULL REFERENCES conversation (id),
  seq              INTEGER NOT NULL CHECK (seq >= 1),
  role             TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
  visibility       TEXT    NOT NULL CHECK (visibility IN ('talk', 'meta', 'prompt')),
  continues        INTEGER CHECK (continues < seq),
  tokens           INTEGER NOT NULL CHECK (tokens >= 0),
  view_tokens      INTEGER NOT NULL CHECK (view_tokens >= 0),
  reasoning_tokens INTEGER NOT NULL CHECK (reasoning_tokens >= 0),
  -- What a system prompt costs in a view; view_tokens is 0 for it and for meta rows.
  prompt_tokens    INTEGER NOT NULL DEFAULT 0,
  has_words        INTEGER NOT NULL CHECK (has_words IN (0, 1)),
  n_parts          INTEGER NOT NULL CHECK (n_parts BETWEEN 0 AND 65535),
  at               INTEGER,
  -- Running sums over the branch up to and with this row.
  sum_tokens       INTEGER NOT NULL,
  sum_view         INTEGER NOT NULL,
  n_visible        INTEGER NOT NULL,
  -- The first row of its turn.
  turn_first       INTEGER NOT NULL,
  -- For a system prompt: the first row of its version.
  prompt_first     INTEGER CHECK ((prompt_first IS NOT NULL) = (visibility = 'prompt')),
  name             TEXT,
  model            TEXT,
  provider         TEXT,
  content_hash     BLOB    NOT NULL CHECK (length(content_hash) = 32),
  chain_hash       BLOB    NOT NULL CHECK (length(chain_hash) = 32),
  UNIQUE (conversation_id, seq)
);
CREATE INDEX message_prompt ON message (conversation_id, seq) WHERE visibility = 'prompt';

-- A part's id is its message's times 65536 plus its ordinal, so that the parts of neighbouring
-- messages lie side by side and need no second index.
CREATE TABLE part (
  id         INTEGER PRIMARY KEY CHECK (id = message_id * 65536 + ordinal),
  message_id INTEGER NOT NULL REFERENCES message (id),
  ordinal    INTEGER NOT NULL CHECK (ordinal BETWEEN 0 AND 65535),
  kind       TEXT    NOT NULL
             CHECK (kind IN ('text', 'reasoning', 'tool_use', 'tool_result', 'media', 'opaque')),
  call_id    TEXT,
  -- Which call or result of this id within its turn, from 0.
  occurrence INTEGER,
  name       TEXT,
  is_error   INTEGER,
  signature  TEXT,
  mime       TEXT,
  body       TEXT    NOT NULL,
  CHECK ((call_id IS NOT NULL) = (kind IN ('tool_use', 'tool_result')))
);
CREATE INDEX part_call ON part (call_id, kind, message_id) WHERE call_id IS NOT NULL;

-- Salts lie apart from hashes, so that an erased text cannot be guessed from what stays.
CREATE TABLE salt (
  message_id INTEGER PRIMARY KEY REFERENCES message (id),
  salt       BLOB NOT NULL CHECK (length(salt) = 16)
);

-- What sync compares; erasable.
CREATE TABLE mark (
  message_id  INTEGER PRIMARY KEY REFERENCES message (id),
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32)
);

-- A message with a key is stored once per conversation.
CREATE TABLE message_key (
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  key             TEXT    NOT NULL,
  message_id      INTEGER NOT NULL REFERENCES message (id),
  PRIMARY KEY (conversation_id, key)
) WITHOUT ROWID;
CREATE INDEX message_key_any ON message_key (key);

-- A file that transcripts were read from, and how far.
CREATE TABLE source (
  id         INTEGER PRIMARY KEY,
  path       TEXT    NOT NULL UNIQUE,
  format     TEXT    NOT NULL,
  offset     INTEGER NOT NULL DEFAULT 0,
  lines      INTEGER NOT NULL DEFAULT 0,
  prefix     BLOB,
  state      TEXT    NOT NULL DEFAULT '',
  updated_at INTEGER NOT NULL
);

-- Where an imported message came from; erasable.
CREATE TABLE provenance (
  message_id    INTEGER PRIMARY KEY REFERENCES message (id),
  source_id     INTEGER NOT NULL REFERENCES source (id),
  offset        INTEGER NOT NULL,
  length        INTEGER NOT NULL,
  line          INTEGER NOT NULL,
  record_id     TEXT,
  joins         TEXT,
  output_tokens INTEGER
);
CREATE INDEX provenance_record ON provenance (record_id) WHERE record_id IS NOT NULL;

CREATE TRIGGER message_no_update BEFORE UPDATE ON message
BEGIN SELECT RAISE(ABORT, 'a message never changes'); END;
CREATE TRIGGER message_no_delete BEFORE DELETE ON message
BEGIN SELECT RAISE(ABORT, 'a message never vanishes'); END;
CREATE TRIGGER part_no_update BEFORE UPDATE ON part
BEGIN SELECT RAISE(ABORT, 'a part never changes'); END;
CREATE TRIGGER part_no_delete BEFORE DELETE ON part
BEGIN SELECT RAISE(ABORT, 'a part never vanishes'); END;
CREATE TRIGGER lineage_no_update BEFORE UPDATE ON lineage
BEGIN SELECT RAISE(ABORT, 'a lineage never changes'); END;
CREATE TRIGGER lineage_no_delete BEFORE DELETE ON lineage
BEGIN SELECT RAISE(ABORT, 'a lineage never vanishes'); END;
