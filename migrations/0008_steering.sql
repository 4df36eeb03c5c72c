-- WHY: hosts and providers say things of a conversation that are no part of the record: which model
-- it is with, how much that model takes, how its counts compare with the estimates, who compacts.
-- What moves a budget is told by events and never changes; the rest is one row that may.

-- What a calibrate or window event was about, and what a branch begins with (under its fork event).
-- The newest row of a model holds all that is known of it; '' is a model that nobody named.
CREATE TABLE measure (
  event_id        INTEGER NOT NULL REFERENCES event (id),
  conversation_id INTEGER NOT NULL REFERENCES conversation (id),
  model           TEXT    NOT NULL,
  estimated       INTEGER CHECK (estimated > 0),
  measured        INTEGER CHECK (measured > 0),
  -- Tokens of the model to one estimated token, in thousandths.
  factor          INTEGER NOT NULL CHECK (factor BETWEEN 500 AND 4000),
  model_limit     INTEGER CHECK (model_limit > 0),
  PRIMARY KEY (event_id, model),
  CHECK ((estimated IS NULL) = (measured IS NULL))
) WITHOUT ROWID;
CREATE INDEX measure_model ON measure (conversation_id, model, event_id);

CREATE TRIGGER measure_no_update BEFORE UPDATE ON measure
BEGIN SELECT RAISE(ABORT, 'a measurement never changes'); END;
CREATE TRIGGER measure_no_delete BEFORE DELETE ON measure
BEGIN SELECT RAISE(ABORT, 'a measurement never vanishes'); END;

CREATE TABLE steering (
  conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
  model           TEXT,
  -- 1 if the host said so, 0 if a measurement did.
  model_is_said   INTEGER NOT NULL CHECK (model_is_said IN (0, 1)),
  managed_by      TEXT,
  -- A compaction asked for by the agent, and the newest message then.
  is_asked        INTEGER NOT NULL CHECK (is_asked IN (0, 1)),
  focus           TEXT,
  asked_after     INTEGER,
  -- Attempts after a provider's error: the message that opens the turn, how many, the last view.
  attempt_turn    INTEGER,
  attempts        INTEGER NOT NULL CHECK (attempts >= 0),
  attempt_tokens  INTEGER NOT NULL CHECK (attempt_tokens >= 0),
  -- The last view that a provider measured.
  seen_event      INTEGER,
  seen_estimated  INTEGER,
  seen_measured   INTEGER,
  -- Compactions in a row that measurements did not confirm, and the pause that came of them.
  ineffective     INTEGER NOT NULL CHECK (ineffective >= 0),
  paused_since    INTEGER,
  paused_until    INTEGER,
  CHECK ((paused_since IS NULL) = (paused_until IS NULL)),
  CHECK ((seen_estimated IS NULL) = (seen_measured IS NULL))
);
