-- The few events that people look for among very many. Each is partial: an event that nobody minds is in neither.
CREATE INDEX events_judged ON events (id, kind, at) WHERE kind <> 'none';
CREATE INDEX events_failed ON events (id, at) WHERE instr(decision, '"fault":"') > 0;
