-- WHY: what a call of a model cost and what was kept from it. Each call is an event of kind `call`;
-- these columns are null in all others. `redactions` is a JSON object from kind to count.
ALTER TABLE event ADD COLUMN model TEXT;
ALTER TABLE event ADD COLUMN input_tokens INTEGER CHECK (input_tokens >= 0);
ALTER TABLE event ADD COLUMN output_tokens INTEGER CHECK (output_tokens >= 0);
ALTER TABLE event ADD COLUMN cached_tokens INTEGER CHECK (cached_tokens >= 0);
ALTER TABLE event ADD COLUMN redactions TEXT;
-- What calls cost is summed from this alone.
CREATE INDEX event_call ON event (conversation_id, input_tokens, output_tokens, cached_tokens)
  WHERE kind = 'call';
