-- WHY: words are cut in Rust, so the index is fed ready tokens and keeps no text. It is written
-- after the turn and may lag: index_state.mark says how far it has come. time_run turns a time
-- filter into ranges of ids, since ids are order of arrival.

CREATE VIRTUAL TABLE search_index USING fts5 (
  tokens, content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 1000);

CREATE TABLE index_state (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  mark    INTEGER NOT NULL,
  rules   INTEGER NOT NULL,
  n_rows  INTEGER NOT NULL
);
INSERT INTO index_state (one, mark, rules, n_rows) VALUES (1, 0, 0, 0);

CREATE TABLE time_run (
  first_id INTEGER PRIMARY KEY,
  last_id  INTEGER NOT NULL,
  min_at   INTEGER,
  max_at   INTEGER
);
