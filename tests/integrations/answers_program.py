"""Answers of the engine as the installed SDK wants them: cases come on stdin."""

import json
import sys

from synaptic.integrations.claude_answers import to_output
from synaptic.model.call import Answer

cases = json.load(sys.stdin)
json.dump([to_output(event, Answer(out.encode(), err.encode(), code)) for event, out, err, code in cases], sys.stdout)
