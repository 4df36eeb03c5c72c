-- WHY: words are cut in Rust, so the index is fed ready tokens and keeps no text. It is written
-- after the turn and may lag: index_state.mark says how far it has come. time_run turns a time
-- filter into ranges of ids, since ids are order of arrival.

-- facet is one word, a message's role or `summary` behind U+10FFFD: a search for few among many
-- then skips instead of looking each one up.
CREATE VIRTUAL TABLE search_index USING fts5 (
  tokens, facet, content = '', contentless_delete = 1, tokenize = 'ascii'
);
-- Merging happens in steps of its own, never inside a write.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 1000);

-- A row with more than 64 KB of tokens is indexed in pieces, so that no step takes long. Its words
-- are all here and none is in search_index.
CREATE VIRTUAL TABLE search_piece USING fts5 (
  tokens, content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_piece (search_piece, rank) VALUES ('automerge', 0);
INSERT INTO search_piece (search_piece, rank) VALUES ('crisismerge', 1000);

-- Whose piece a row of search_piece is.
CREATE TABLE index_piece (
  id       INTEGER PRIMARY KEY,
  row_id   INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
  n_pieces INTEGER NOT NULL CHECK (n_pieces > ordinal),
  UNIQUE (row_id, ordinal)
);

-- How far the index has come. pieces counts those written of the row after the mark.
CREATE TABLE index_state (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  mark    INTEGER NOT NULL CHECK (mark >= 0),
  pieces  INTEGER NOT NULL CHECK (pieces >= 0),
  rules   INTEGER NOT NULL,
  -- Rows of search_index, to notice when it has lost some.
  n_rows  INTEGER NOT NULL CHECK (n_rows >= 0)
);
INSERT INTO index_state (one, mark, pieces, rules, n_rows) VALUES (1, 0, 0, 0, 0);

-- The times of messages and the spans of summaries in a run of ids, none where no row has any.
-- Apart, since a summary's span is long and would make every run match.
CREATE TABLE time_run (
  first_id INTEGER PRIMARY KEY,
  last_id  INTEGER NOT NULL CHECK (last_id >= first_id),
  min_at   INTEGER,
  max_at   INTEGER,
  from_at  INTEGER,
  to_at    INTEGER
);
CREATE INDEX time_run_max ON time_run (max_at);
CREATE INDEX time_run_to ON time_run (to_at);

-- One row a token, for counting what the index holds of each row.
CREATE VIRTUAL TABLE search_instance USING fts5vocab ('search_index', 'instance');
CREATE VIRTUAL TABLE search_piece_instance USING fts5vocab ('search_piece', 'instance');
