-- Of the events that nobody stopped or changed, those at which something was said all the same: a warning, or that an
-- exception was used. With the indexes of 0012 all that is worth a line of its own is found without reading the others.
CREATE INDEX events_noted ON events (id) WHERE kind = 'none'
AND (instr(decision, '"warnings":[') > 0 OR instr(decision, '"grants":[') > 0);
