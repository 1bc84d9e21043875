# shellcheck shell=bash
# Input and logging for hook scripts. Source it:  source "$SYNAPTIC_ROOT/lib/log.sh"
#
#   HOOK_INPUT=$(read_input)              the event as JSON, read from stdin once
#   get_field '.tool_input.file_path'     one field of it; missing, null and false are empty
#   detect_project_root                   $CLAUDE_PROJECT_DIR, else the git root, else $HOME
#   log_info STAGE TEXT                   a line for people on stderr
#   log_json STAGE TEXT                   the same as one JSON object on stderr

# The variable of this name that a hook inherits holds the tool's input alone; the whole event comes on stdin.
unset HOOK_INPUT
HOOK_INPUT=""

read_input() {
  if [ -z "$HOOK_INPUT" ]; then
    HOOK_INPUT=$(cat)
  fi
  printf '%s\n' "$HOOK_INPUT"
}

get_field() {
  if [ -z "$HOOK_INPUT" ]; then
    read_input >/dev/null
  fi
  if command -v jq >/dev/null 2>&1; then
    printf '%s' "$HOOK_INPUT" | jq -r "($1) // empty" 2>/dev/null || true
  else
    printf '%s' "$HOOK_INPUT" | python3 -c '
import json, sys
try:
    value = json.load(sys.stdin)
    for name in sys.argv[1].strip(".").split("."):
        value = value.get(name) if name and isinstance(value, dict) else (value if not name else None)
except ValueError:
    value = None
if value is not None and value is not False:
    print(value if isinstance(value, str) else json.dumps(value))
' "$1" 2>/dev/null || true
  fi
}

detect_project_root() {
  local found
  if [ -n "${CLAUDE_PROJECT_DIR:-}" ] && [ -d "$CLAUDE_PROJECT_DIR" ]; then
    printf '%s\n' "$CLAUDE_PROJECT_DIR"
  elif found=$(git rev-parse --show-toplevel 2>/dev/null) && [ -n "$found" ]; then
    printf '%s\n' "$found"
  else
    printf '%s\n' "${HOME:-/}"
  fi
}

log_info() {
  printf '[%s] %s\n' "$1" "$2" >&2
}

log_json() {
  printf '{"stage":"%s","message":"%s"}\n' "$(_json_text "$1")" "$(_json_text "$2")" >&2
}

# The inside of a JSON string: quotes and backslashes escaped, line breaks and tabs named, other controls dropped.
_json_text() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\r'/\\r}
  text=${text//$'\t'/\\t}
  printf '%s' "$text" | LC_ALL=C tr -d '\000-\037\177'
}
