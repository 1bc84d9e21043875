"""The same guard as a plain Python hook script."""

import json
import re
import sys

event = json.load(sys.stdin)
if re.search(r"git push.*(--force|-f)", event.get("tool_input", {}).get("command", "")):
    deny = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "force push",
    }
    print(json.dumps({"hookSpecificOutput": deny}))
