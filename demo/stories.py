"""What the recording shows: the stories of README.md, and what they need that nobody has to see."""

from typing import NamedTuple


class Answer(NamedTuple):
    """What a person types when they are asked."""

    question: str
    text: str


class Story(NamedTuple):
    """One command: a line about it, what happens before and after, and the answers."""

    about: str
    command: str
    before: str = ""
    after: str = ""
    answers: tuple[Answer, ...] = ()


PREPARATIONS = """
git init -q -b main
git config user.name you
git config user.email you@example.com
printf 'def total(prices):\\n    return sum(prices)\\n' > cart.py
git add .
git commit -qm first
printf '\\n\\ndef vat(prices):\\n    return total(prices) * 0.2\\n' >> cart.py
"""
CODE = "k7qmd"
"""What is shown for the code of a refusal, which is another one in each home."""
FIND_CODE = "synaptic inbox --plain 2>/dev/null | sed -n '2s/^ *\\([a-z0-9]*\\) .*/\\1/p'"
TRY_RESET = """
try_reset() {
  printf '{"session_id": "s1", "cwd": "%s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "%s",
    "tool_input": {"command": "git reset --hard"}}' "$PWD" "$1" | ~/.synaptic/bin/dispatch claude PreToolUse
}
"""
HOOK = """
mkdir -p .synaptic/hooks
cat > .synaptic/hooks/no-amend.sh <<'EOF'
#!/bin/sh
case "$HOOK_INPUT" in
  *--amend*) echo '{"action": "block", "reason": "Make a new commit."}' ;;
esac
EOF
chmod +x .synaptic/hooks/no-amend.sh
cat > .synaptic/hooks/registry.toml <<'EOF'
[[hook]]
event = "PreToolUse"
matcher = "Bash"
skill = "git-care"
script = ".synaptic/hooks/no-amend.sh"
blocking = true
EOF
"""
AGENTS = """
send() {
  printf '{"session_id": "%s", "cwd": "%s", "hook_event_name": "%s", "source": "startup", "tool_name": "Bash",
    "tool_input": {"command": "pytest -q"}, "message": "may I run the migration?",
    "notification_type": "permission_prompt"}' "$1" "$PWD" "$2" | AGENT_ID=$1 ~/.synaptic/bin/dispatch claude "$2"
}
synaptic policy enable @fleet
for name in api web; do
  setsid synaptic run --agent $name -- sleep 300 > ~/$name.log 2>&1 < /dev/null &
  echo $! > ~/$name.pid
done
for try in $(seq 100); do test "$(synaptic fleet | grep -c '^api\\|^web')" = 2 && break; sleep 0.2; done
send web SessionStart && send web PreToolUse
send api SessionStart && send api PreToolUse && send api Notification
"""

STORIES = (
    Story("One entry per event in the agent's settings", "synaptic up | head -8"),
    Story("Would this lose work? Ask without running it", "synaptic check 'git reset --hard'"),
    Story(
        "An agent has tried it, and was refused",
        "synaptic inbox --plain",
        before=f"{TRY_RESET}try_reset 1",
    ),
    Story("You do want it, this once", f"synaptic allow {CODE}"),
    Story(
        "The agent makes the call twice more: one is let through",
        "synaptic grants list --all",
        before=f"{TRY_RESET}try_reset 2; try_reset 3",
    ),
    Story("What was stopped today, in which project, and why", "synaptic tail --denied --asked --since today"),
    Story("One of them, from its decision on", "synaptic explain 1"),
    Story("A question, and its reason", "synaptic check 'terraform destroy -auto-approve'"),
    Story(
        "A practice: no source is written on main",
        """synaptic check --tool Edit --input '{"file_path": "cart.py"}'""",
        before="synaptic policy enable practice.branch-guard",
        after="synaptic policy disable practice.branch-guard",
    ),
    Story(
        "A hook that came with the repository: read it, then agree",
        "synaptic trust",
        before=HOOK,
        answers=(Answer("[y/N]: ", "y"),),
    ),
    Story(
        "Who is doing what, and who is waiting for you",
        "synaptic fleet",
        before=AGENTS,
        after="kill $(cat ~/api.pid ~/web.pid); sleep 1",
    ),
    Story(
        "A package: what it would do, then a question",
        "synaptic install policy-guard",
        before='synaptic registry init && synaptic package import "$SOURCE/packages/policy-guard" --channel main',
        answers=(Answer("/dev/null]: ", ""), Answer("[y/N]: ", "y")),
    ),
    Story("As it was installed? Colleagues get the same from .synaptic/manifest.lock", "synaptic verify"),
)
