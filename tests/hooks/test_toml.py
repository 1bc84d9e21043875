from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.declaration import DeclarationFile, Declarations
from synaptic.hooks.toml import parse_registry_toml
from synaptic.model.hook import Command, HttpEndpoint, PythonFunction
from tests.hooks.projects import entry

PLACE = DeclarationFile("/p/.synaptic/hooks/registry.toml", "project", "/p")
SEED = b"""
# .synaptic/hooks/registry.toml

[[hook]]
event = "PreToolUse"
matcher = "Bash"
skill = "env-injector"
script = "/Users/rand/projects/myproject/.synaptic/skills/env-injector/hooks/pre-bash.sh"
priority = 10
blocking = true

[[hook]]
event = "PreToolUse"
matcher = "Bash"
skill = "policy-guard"
script = "/Users/rand/projects/myproject/.synaptic/skills/policy-guard/hooks/pre-bash.sh"
priority = 20
blocking = true

[[hook]]
event = "PostToolUse"
matcher = "mcp__filesystem__.*"
skill = "audit-logger"
script = "/Users/rand/projects/myproject/.synaptic/skills/audit-logger/hooks/post-fs.sh"
priority = 50
blocking = false
"""


def read(*entries: str) -> Declarations:
    return parse_registry_toml("\n".join(f"[[hook]]\n{text}\n" for text in entries).encode(), PLACE)


def test_the_registry_of_the_first_seed_is_read_as_it_is_written():
    """S0-060, S0-044"""
    declared = parse_registry_toml(SEED, PLACE)
    assert declared.problems == ()
    assert [(h.events, h.matcher, h.skill, h.priority, h.blocking) for h in declared.hooks] == [
        (("PreToolUse",), "Bash", "env-injector", 10, True),
        (("PreToolUse",), "Bash", "policy-guard", 20, True),
        (("PostToolUse",), "mcp__filesystem__.*", "audit-logger", 50, False),
    ]
    assert all(h.handler.script.startswith("/Users/rand/") for h in declared.hooks)
    assert declared.hooks[0].id == "env-injector:pre-bash.sh"


def test_defaults_of_an_entry():
    hook = read("event = 'PreToolUse'\nscript = '/a/b.sh'").hooks[0]
    assert (hook.matcher, hook.priority, hook.blocking, hook.protocol) == (".*", 50, False, "decision")
    assert not hook.awaited and not hook.observes
    assert (hook.on_error, hook.timeout, hook.id, hook.scope) == ("allow", 30, "registry:b.sh", "project")


def test_a_script_path_is_used_as_it_is():
    """S0-044"""
    hook = read(entry("/a/../b c/'\"$x.sh".replace("'", ""))).hooks[0]
    assert hook.handler == Command(argv=('/a/../b c/"$x.sh',))


def test_a_relative_script_of_the_user_is_refused_and_the_absolute_one_named():
    """S0-060"""
    text = f"[[hook]]\n{entry('hooks/a.sh')}".encode()
    declared = parse_registry_toml(text, DeclarationFile("/u/hooks/registry.toml", "user", "/u"))
    assert declared.hooks == ()
    assert 'hook 1: `script`: `hooks/a.sh` is not absolute (write script = "/u/hooks/a.sh")' in declared.problems[0]


@pytest.mark.parametrize("path", [".synaptic/hooks/a.sh", "./.synaptic/hooks/a.sh", "x/../.synaptic/hooks/a.sh"])
def test_a_relative_script_of_a_repository_is_read_from_its_root(path: str):
    declared = read(entry(path))
    assert declared.problems == ()
    assert declared.hooks[0].handler == Command(argv=("/p/.synaptic/hooks/a.sh",))
    assert declared.hooks[0].id == "registry:a.sh"


def test_a_relative_python_file_of_a_repository_is_read_from_its_root():
    assert read(entry(None, python="h/a.py:check")).hooks[0].handler == PythonFunction("/p/h/a.py", "check")


@pytest.mark.parametrize("path", ["../a.sh", "h/../../a.sh", "..", "x" * 5000])
def test_a_relative_script_does_not_lead_out_of_the_repository(path: str):
    declared = read(entry(path))
    assert declared.hooks == ()
    assert "this hook is disabled" in declared.problems[0]


@pytest.mark.parametrize("target", ["{out}/a.sh", "../out/a.sh"])
@pytest.mark.parametrize("name", ["a.sh", "folder/a.sh"])
def test_a_relative_script_does_not_lead_out_by_a_link(tmp_path: Path, name: str, target: str):
    root = tmp_path / "project"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.sh").write_text("#!/bin/sh\n")
    root.mkdir()
    link = root / name.partition("/")[0]
    aim = target.format(out=tmp_path / "out")
    link.symlink_to(aim if link.name == "a.sh" else aim.rpartition("/")[0])
    place = DeclarationFile(f"{root}/.synaptic/hooks/registry.toml", "project", str(root))
    declared = parse_registry_toml(f"[[hook]]\n{entry(name)}".encode(), place)
    assert declared.hooks == ()
    assert f"hook 1: `script`: `{name}` leads out of {root} (keep the file in the repository)" in declared.problems[0]


@pytest.mark.parametrize("priority", [0, 200, -5])
def test_any_priority_is_accepted(priority: int):
    """S0-069"""
    assert read(entry(priority=priority)).hooks[0].priority == priority


def test_a_list_of_events_registers_one_hook_for_each():
    assert read(entry(event=["PreToolUse", "PostToolUse"])).hooks[0].events == ("PreToolUse", "PostToolUse")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entry(matcher="("), "`matcher`: `(` is no regular expression"),
        (entry(matcher="(?=a)b"), "may take forever to compare: it looks around"),
        (entry(matcher="(a{99}){99}"), "may take forever to compare: it is too large"),
        (entry(priority="high"), "`priority`: expected `int`, got `str`"),
        (entry(blocking=1), "`blocking`: expected `bool`"),
        (entry(timeout=0), "`timeout`: expected `float` > 0"),
        (entry(event="PreToolUSe2"), "did you mean `PreToolUse`?"),
        (entry(on_error="block"), "`on_error`"),
        (entry(macher="Bash"), "unknown key `macher` (did you mean `matcher`?)"),
        (entry(script=None), "has nothing to run"),
        (entry(command="x"), "has script and command"),
        (entry(script="/a\\u0000b").replace("'", '"'), "NUL"),
        (entry(script=None, python="/a/b.py"), "file.py:function"),
        (entry(script=None, url="ftp://x"), "is no http address"),
        ("script = '/a.sh'", "missing required field `event`"),
        (entry(event=[]), "names no event"),
    ],
)
def test_a_broken_entry_disables_itself_and_is_named(text: str, message: str):
    """S0-025: file, entry number and key are told, the others run."""
    declared = read(entry("/first.sh"), text, entry("/last.sh"))
    assert [hook.handler.script for hook in declared.hooks] == ["/first.sh", "/last.sh"]
    assert len(declared.problems) == 1
    assert declared.problems[0].startswith(f"{PLACE.file}: hook 2: ")
    assert message in declared.problems[0]


def test_a_foreign_key_is_told_and_the_hook_runs():
    """S0-064: other tools may keep their own keys in an entry."""
    declared = read(entry(zzz="mine"))
    assert len(declared.hooks) == 1
    assert "unknown key `zzz` is ignored" in declared.problems[0]


def test_an_event_of_a_newer_agent_is_waited_for():
    declared = read(entry(event="QuuxHappened"))
    assert declared.hooks[0].events == ("QuuxHappened",)
    assert "no agent known here sends" in declared.problems[0]


def test_a_disabled_entry_is_no_hook_and_no_problem():
    assert read(entry(enabled=False)) == Declarations()


@pytest.mark.parametrize("scope", ["project", "global"])
def test_the_owner_of_an_entry_does_not_change_when_it_runs(scope: str):
    """S0-067"""
    assert read(entry(scope=scope)).hooks[0].scope == "project"


def test_commands_urls_and_python_functions():
    declared = read(
        entry(script=None, command="npm run lint"),
        entry(script=None, url="http://127.0.0.1:8000/hook"),
        entry(script=None, python="/p/hooks/guard.py:check"),
    )
    assert [hook.handler for hook in declared.hooks] == [
        Command(shell="npm run lint", cwd="/p"),
        HttpEndpoint("http://127.0.0.1:8000/hook"),
        PythonFunction("/p/hooks/guard.py", "check"),
    ]


@pytest.mark.parametrize("text", [b"[[hook]\n", b"\xff\xfe", b"a = " + b"[" * 5000])
def test_unparsable_toml_is_one_problem_and_no_hook(text: bytes):
    """S0-045"""
    declared = parse_registry_toml(text, PLACE)
    assert declared.hooks == ()
    assert len(declared.problems) == 1
    assert "is no valid TOML" in declared.problems[0]


def test_an_empty_registry_is_no_problem():
    """S0-045"""
    assert parse_registry_toml(b"", PLACE) == Declarations()


def test_a_hook_that_is_no_array_of_tables_is_told():
    assert "[[hook]]" in parse_registry_toml(b"hook = 3", PLACE).problems[0]
    assert "hook 1: expected a table" in parse_registry_toml(b"hook = [3]", PLACE).problems[0]


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_raise(text: bytes):
    parse_registry_toml(text, PLACE)


VALUES = st.one_of(
    st.text(max_size=10), st.integers(), st.booleans(), st.floats(), st.lists(st.text(max_size=5), max_size=2)
)


@given(
    st.dictionaries(st.sampled_from(["event", "matcher", "script", "command", "url", "python", "timeout", "x"]), VALUES)
)
def test_no_table_makes_the_reader_raise(table: dict[str, object]):
    import tomlkit

    document = tomlkit.document()
    try:
        document["hook"] = [table]
        text = tomlkit.dumps(document).encode()
    except (ValueError, UnicodeEncodeError):
        return
    declared = parse_registry_toml(text, PLACE)
    assert declared.hooks or declared.problems or table.get("enabled") is False


@pytest.mark.parametrize(
    ("matcher", "told"),
    [("Basch", "Bash"), ("Edti|Write", "Edit"), ("bash", "Bash"), ("MultEdit", "MultiEdit"), ("WebFech", "WebFetch")],
)
def test_a_matcher_that_resembles_a_tool_is_told(matcher: str, told: str):
    found = read(entry("/a/b.sh", matcher=matcher))
    assert len(found.hooks) == 1
    assert f"(did you mean `{told}`?)" in found.problems[0]


@pytest.mark.parametrize("matcher", ["Bash", "mcp__x__y", "Brandnew", "Ba.*", "Task|Agent", "KillBash", "Zed", ".*"])
def test_a_matcher_that_resembles_none_may_be_of_a_newer_agent(matcher: str):
    assert read(entry("/a/b.sh", matcher=matcher)).problems == ()


def test_a_matcher_of_an_event_without_tools_is_compared_with_none():
    assert read(entry("/a/b.sh", event="SessionStart", matcher="reads")).problems == ()
