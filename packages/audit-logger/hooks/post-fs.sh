#!/usr/bin/env bash
# One line for each file operation: when, which tool, with what.
set -euo pipefail

INPUT="${HOOK_INPUT:-(too long for a line)}"
LOG_FILE="$SYNAPTIC_ROOT/logs/audit.log"
mkdir -p "${LOG_FILE%/*}"
printf '%s [%s] %s\n' "$(date -u +%FT%TZ)" "$HOOK_TOOL" "$INPUT" >> "$LOG_FILE"
