#!/bin/bash
# The guard that people write first: bash and jq, one pattern.
command=$(jq -r '.tool_input.command // empty')
if [[ $command =~ git\ push.*(--force|-f) ]]; then
  jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
    permissionDecisionReason: "force push"}}'
fi
exit 0
