# shellcheck shell=bash
# The state of a project for hook scripts. Source it:  source "$SYNAPTIC_ROOT/lib/context-lib.sh"
#
#   get_git_state ROOT         GIT_BRANCH GIT_DIRTY_COUNT GIT_WORKTREES GIT_WT_COUNT
#   get_plan_status ROOT       PLAN_EXISTS PLAN_PHASE PLAN_TOTAL_PHASES PLAN_COMPLETED_PHASES PLAN_IN_PROGRESS_PHASES
#                              PLAN_AGE_DAYS PLAN_COMMITS_SINCE
#   get_session_changes ROOT   SESSION_CHANGED_COUNT SESSION_FILE
#   is_source_file PATH        by its extension
#   is_skippable_path PATH     configuration, tests, vendored or generated files
#   append_audit ROOT EVENT DETAIL
#
# The variables are for whoever sources this file.
# shellcheck disable=SC2034

SOURCE_EXTENSIONS='ts|tsx|js|jsx|py|rs|go|java|kt|swift|c|cpp|h|hpp|cs|rb|php|sh|bash|zsh'

get_git_state() {
  local root=$1 line path="" bare="" first=1
  GIT_BRANCH="" GIT_DIRTY_COUNT=0 GIT_WORKTREES="" GIT_WT_COUNT=0
  git -C "$root" rev-parse --git-dir >/dev/null 2>&1 || return 0
  GIT_BRANCH=$(git -C "$root" symbolic-ref --short -q HEAD || git -C "$root" rev-parse --short HEAD 2>/dev/null) || true
  GIT_DIRTY_COUNT=$(git -C "$root" status --porcelain 2>/dev/null | wc -l | tr -d ' ')
  while IFS= read -r line; do
    case $line in
      "worktree "*) path=${line#worktree } bare="" ;;
      bare) bare=1 ;;
      "")
        if [ "$first" = 1 ]; then
          first=0 # the main one
        elif [ -z "$bare" ] && [ -n "$path" ]; then
          GIT_WORKTREES="${GIT_WORKTREES:+$GIT_WORKTREES
}$path"
          GIT_WT_COUNT=$((GIT_WT_COUNT + 1))
        fi
        path=""
        ;;
    esac
  done <<EOF
$(git -C "$root" worktree list --porcelain 2>/dev/null)

EOF
}

get_plan_status() {
  local root=$1 plan="$1/MASTER_PLAN.md" changed now
  PLAN_EXISTS=false PLAN_PHASE="" PLAN_TOTAL_PHASES=0 PLAN_COMPLETED_PHASES=0 PLAN_IN_PROGRESS_PHASES=0
  PLAN_AGE_DAYS=0 PLAN_COMMITS_SINCE=0
  [ -f "$plan" ] || return 0
  PLAN_EXISTS=true
  # grep prints its count even when it is 0 and then fails: the failure is no news.
  PLAN_TOTAL_PHASES=$(grep -cE '^## Phase [0-9]' "$plan") || true
  PLAN_COMPLETED_PHASES=$(grep -cE '\*\*Status:\*\*[[:space:]]*completed' "$plan") || true
  PLAN_IN_PROGRESS_PHASES=$(grep -cE '\*\*Status:\*\*[[:space:]]*in-progress' "$plan") || true
  PLAN_PHASE=$(grep -iE '^#+ .*phase|^\*\*Phase' "$plan" | tail -n 1) || true
  changed=$(_modified "$plan")
  now=$(date +%s)
  PLAN_AGE_DAYS=$(((now - changed) / 86400))
  PLAN_COMMITS_SINCE=$(git -C "$root" rev-list --count --since="@$changed" HEAD 2>/dev/null) || PLAN_COMMITS_SINCE=0
}

get_session_changes() {
  local root=$1 session=${CLAUDE_SESSION_ID:-}
  SESSION_CHANGED_COUNT=0 SESSION_FILE=""
  if [ -z "$session" ] && [ -n "${HOOK_INPUT:-}" ] && command -v get_field >/dev/null 2>&1; then
    session=$(get_field '.session_id')
  fi
  if [ -n "$session" ] && [ -f "$root/.claude/.session-changes-$session" ]; then
    SESSION_FILE="$root/.claude/.session-changes-$session"
  elif [ -f "$root/.claude/.session-changes" ]; then
    SESSION_FILE="$root/.claude/.session-changes"
  else
    return 0
  fi
  SESSION_CHANGED_COUNT=$(sort -u "$SESSION_FILE" | grep -c .) || true
}

is_source_file() {
  printf '%s' "$1" | grep -qE "[^/]\.($SOURCE_EXTENSIONS)\$"
}

is_skippable_path() {
  case ${1##*/} in
    *.config.* | *.test.* | *.spec.* | *.generated.* | *.min.*) return 0 ;;
  esac
  case /${1%/*}/ in
    */__tests__/* | */node_modules/* | */vendor/* | */dist/* | */build/* | */.next/* | */__pycache__/* | */.git/*)
      # a name without a folder stands for itself here and is no folder
      [ "${1%/*}" != "$1" ]
      return
      ;;
  esac
  return 1
}

append_audit() {
  local detail=$3
  mkdir -p "$1/.claude"
  detail=${detail//$'\n'/\\n}
  printf '%s|%s|%s\n' "$(date -u +%Y-%m-%dT%H:%M:%S)" "$2" "$detail" >>"$1/.claude/.audit-log"
}

# Seconds since the epoch; GNU and BSD spell it differently, and each accepts the other's option as something else.
_modified() {
  stat -c %Y "$1" 2>/dev/null || stat -f %m "$1" 2>/dev/null || date +%s
}
