-- WHY: a host that replays a session writes its records to another file under new ids, with the times
-- they had. Whether a record is such a copy is asked of each that has an unknown id, by its time.
CREATE INDEX message_at ON message (at) WHERE at IS NOT NULL;
