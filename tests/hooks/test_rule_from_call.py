"""What a call is about: the program that somebody means, with its leading words, or the file."""

import pytest

from synaptic.hooks.rule_from_call import draft_from_call
from synaptic.model.errors import DeclarationError
from synaptic.model.event import Event, PreToolUse, Stop


def call(tool: str, **given: object) -> Event:
    return PreToolUse(hook_event_name="PreToolUse", session_id="s", cwd="/p", tool_name=tool, tool_input=given)


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("npm publish --tag next", "npm publish"),
        ("cd x && npm publish", "npm publish"),
        ("git -C web push -f origin main", "git push"),
        ("rm -rf build", "rm"),
        ("cat notes | grep x", "cat"),
        ("npm run deploy:prod", "npm run deploy:prod"),
        ("docker compose down -v", "docker compose down"),
        ("sudo systemctl restart nginx", "systemctl restart"),
        ("timeout 5 npm publish", "npm publish"),
        ("npx prisma migrate deploy", "prisma migrate"),
        ("python manage.py migrate", "python manage.py migrate"),
        ("bash tools/deploy.sh prod", "bash tools/deploy.sh prod"),
        ("gh pr merge 4", "gh pr merge"),
        ("kubectl delete ns prod", "kubectl delete"),
        ("terraform apply -auto-approve", "terraform apply"),
        ("psql -c 'drop table x'", "psql"),
    ],
)
def test_program_and_leading_words(command: str, run: str):
    assert draft_from_call(call("Bash", command=command), "/p", "/h").keys == {"run": run}


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("/p/src/a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("/p/a.py", "./a.py"),
        ("/h/.zshrc", "~/.zshrc"),
        ("/etc/x", "/etc/x"),
    ],
)
def test_the_file_that_was_changed(path: str, glob: str):
    assert draft_from_call(call("Edit", file_path=path), "/p", "/h").keys == {"edit": glob}


def test_other_tools_by_name():
    assert draft_from_call(call("mcp__github__merge", number=1), "/p", "/h").keys == {"tool": "mcp__github__merge"}


def test_an_event_without_a_call():
    with pytest.raises(DeclarationError, match="about no tool"):
        draft_from_call(Stop(hook_event_name="Stop"), "/p", "/h")
    with pytest.raises(DeclarationError, match="names no program"):
        draft_from_call(call("Bash", command="echo hi"), "/p", "/h")
