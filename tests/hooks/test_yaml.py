import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.config import Config
from synaptic.hooks.declaration import DeclarationFile, Declarations
from synaptic.hooks.yaml import read_declarations
from synaptic.model.hook import Builtin, Command, HttpEndpoint, Match, PythonFunction
from synaptic.policies.audit.tool_use import ToolUse

TRACKER = """
id: post_tool_use_tracker
event_type: PostAbilityCall
enabled: true

summary: >
  Track every ability/tool call in a central log so future routing
  and documentation can be improved from real usage.

match:
  # Optional filters; omit if this hook should see all calls
  ability_scope: "*"
  min_duration_ms: 0

handler:
  kind: script
  command: ./scripts/hooks/post_tool_use_tracker.sh

effects:
  # Informal description for the AI and maintainers
  - append_to: .system/logs/tool_call.md
  - update_usage_cache: .system/cache/ability_usage.json
"""
BUILD_CHECK = """
id: session_stop_build_check
event_type: SessionStop
enabled: false  # opt-in, can be enabled per repo or environment
match:
  only_if_changed_paths:
    - "services/**"
    - "apps/**"
handler:
  kind: script
  command: ./scripts/hooks/session_stop_build_check.sh
effects:
  - run_local_build_checks
"""
PLAIN = "id: a\nevent_type: PostAbilityCall\nhandler: {kind: script, command: ./a.sh}\n"


def place(name: str = "a.yaml") -> DeclarationFile:
    return DeclarationFile(f"/p/.system/hooks/{name}", "project", "/p")


def read(*texts: str, environment: str = "") -> Declarations:
    files = [(place(f"{number}.yaml"), text.encode()) for number, text in enumerate(texts)]
    return read_declarations(files, Config(environment=environment))


def problem(text: str) -> str:
    found = read(text)
    assert found.hooks == ()
    assert len(found.problems) == 1
    assert found.problems[0].startswith("/p/.system/hooks/0.yaml: ")
    assert found.problems[0].endswith("; this hook is disabled")
    return found.problems[0]


def test_a_definition_of_the_seed_is_read_field_by_field():
    """S2-002, S2-006, S2-007, S2-009, S2-013, S2-015, S2-037"""
    found = read(TRACKER)
    assert found.problems == ()
    hook = found.hooks[0]
    assert (hook.id, hook.events, hook.blocking) == ("post_tool_use_tracker", ("PostAbilityCall",), False)
    assert (hook.protocol, hook.on_error, hook.priority, hook.scope) == ("result", "allow", 50, "project")
    assert hook.handler == Command(argv=("/p/scripts/hooks/post_tool_use_tracker.sh",), cwd="/p")
    assert hook.match == Match(ability_scope=("*",), min_duration_ms=0)


def test_one_file_is_one_hook():
    """S2-001, S2-020"""
    assert [hook.id for hook in read(TRACKER, PLAIN, "id: [", PLAIN.replace("id: a", "id: b")).hooks] == [
        "post_tool_use_tracker", "a", "b",
    ]  # fmt: skip


def test_one_broken_file_is_reported_and_the_others_are_registered():
    """S2-020"""
    found = read(PLAIN, "id: [", TRACKER)
    assert len(found.hooks) == 2
    assert "1.yaml: is no valid YAML" in found.problems[0]


@pytest.mark.parametrize(
    "event", ["UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop"]
)
def test_every_baseline_event_is_known(event: str):
    """S2-004"""
    assert read(PLAIN.replace("PostAbilityCall", event)).hooks[0].events == (event,)


def test_an_unknown_event_is_an_error():
    """S2-004"""
    assert "did you mean `PostAbilityCall`?" in problem(PLAIN.replace("PostAbilityCall", "PostAbilityCal"))


def test_a_list_of_events_is_accepted():
    """S2-005"""
    text = PLAIN.replace("PostAbilityCall", "[PreAbilityCall, PostAbilityCall]")
    assert read(text).hooks[0].events == ("PreAbilityCall", "PostAbilityCall")


def test_no_match_means_no_condition():
    """S2-006"""
    hook = read(PLAIN).hooks[0]
    assert hook.match is None
    assert hook.matcher == ""


def test_every_match_key_is_read():
    """S2-007, S2-008, S2-009, S2-010, S2-011"""
    text = PLAIN + (
        "match:\n  ability_scope: [billing_*, code_review]\n  operation_key: workflow.*\n  min_duration_ms: 100\n"
        "  only_if_changed_paths: ['services/**']\n  file_patterns: '*.py'\n  tool: [Bash, Edit]\n"
    )
    hook = read(text).hooks[0]
    assert hook.matcher == "Bash|Edit"
    assert hook.match == Match(
        ability_scope=("billing_*", "code_review"),
        operation_key=("workflow.*",),
        min_duration_ms=100,
        only_if_changed_paths=("services/**",),
        file_patterns=("*.py",),
    )


def test_an_unknown_match_key_never_matches_all():
    """S2-011"""
    text = PLAIN + "match: {ability_scop: billing}\n"
    assert "unknown key `match.ability_scop` (did you mean `ability_scope`?)" in problem(text)
    assert "unknown key `match.zzz`" in problem(PLAIN + "match: {zzz: 1}\n")


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ("{min_duration_ms: soon}", "`min_duration_ms`: expected `float"),
        ("{matcher: '('}", "is no regular expression"),
        ("{tool: Bash, matcher: Bash}", "both `tool` and `matcher`"),
        ("{file_patterns: '[z-a]'}", "is no glob"),
        ("[1]", "`match`: expected `object | null`"),
    ],
)
def test_a_wrong_match_disables_the_hook(match: str, message: str):
    """S2-011"""
    assert message in problem(f"{PLAIN}match: {match}\n")


def test_a_disabled_hook_is_absent():
    """S2-021"""
    assert read(BUILD_CHECK) == Declarations()


@pytest.mark.parametrize("environments", ["[dev]", "{dev: true}"])
def test_an_environment_switches_a_disabled_hook_on(environments: str):
    """S2-022"""
    text = f"{BUILD_CHECK}environments: {environments}\n"
    assert [hook.id for hook in read(text, environment="dev").hooks] == ["session_stop_build_check"]
    assert read(text).hooks == ()
    assert read(text, environment="prod").hooks == ()


def test_a_map_switches_an_enabled_hook_off_in_one_environment():
    """S2-022"""
    text = f"{PLAIN}environments: {{ci: false}}\n"
    assert read(text, environment="ci").hooks == ()
    assert len(read(text).hooks) == 1


def test_match_environment_filters():
    """S2-011"""
    text = f"{PLAIN}match: {{environment: [dev, test]}}\n"
    assert len(read(text, environment="test").hooks) == 1
    assert read(text, environment="prod").hooks == ()
    assert read(text).hooks == ()


def test_a_blocking_hook_that_fails_stops_the_act():
    """S2-032, C-02"""
    assert read(f"{PLAIN}blocking: true\n").hooks[0].on_error == "deny"
    assert read(f"{PLAIN}blocking: true\non_error: allow\n").hooks[0].on_error == "allow"
    assert read(PLAIN).hooks[0].on_error == "allow"


def test_a_second_file_with_the_same_id_is_refused_and_both_are_named():
    """S2-003"""
    found = read(PLAIN, PLAIN)
    assert len(found.hooks) == 1
    assert "1.yaml: `id`: `a` is already taken by /p/.system/hooks/0.yaml" in found.problems[0]


@pytest.mark.parametrize("name", ["A", "-a", "a.b", "''", "a b", "7"])
def test_ids_are_plain_names(name: str):
    assert "`id`" in problem(PLAIN.replace("id: a", f"id: {name}"))


@pytest.mark.parametrize("missing", ["id", "event_type", "handler"])
def test_required_fields(missing: str):
    """S2-002"""
    kept = [line for line in PLAIN.splitlines() if not line.startswith(f"{missing}:")]
    assert f"missing required field `{missing}`" in problem("\n".join(kept))


def test_a_typo_in_a_key_disables_the_hook():
    assert "unknown key `blockin` (did you mean `blocking`?)" in problem(f"{PLAIN}blockin: true\n")


def test_effects_of_any_form_are_only_words(tmp_path):
    """S2-015"""
    log = tmp_path / "made.md"
    found = read(f"{PLAIN}effects:\n  - append_to: {log}\n  - just_text\n  - 7\n")
    assert found.problems == ()
    assert not log.exists()


def handler(text: str) -> str:
    return f"id: a\nevent_type: PreToolUse\nhandler: {text}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{kind: script, command: ./a.sh --fast}", Command(argv=("/p/a.sh", "--fast"), cwd="/p")),
        (
            "{kind: script, command: \"./a.sh 'b c' d\\\\ e $X\"}",
            Command(argv=("/p/a.sh", "b c", "d e", "$X"), cwd="/p"),
        ),
        ("{kind: script, command: timeout 5 ./a.sh}", Command(argv=("timeout", "5", "./a.sh"), cwd="/p")),
        ("{kind: script, command: [./a b.sh, x]}", Command(argv=("/p/a b.sh", "x"), cwd="/p")),
        ("{kind: script, command: python3 hooks/a.py}", Command(argv=("python3", "hooks/a.py"), cwd="/p")),
        (
            "{kind: http, url: 'http://127.0.0.1:9/x', headers: {a: b}}",
            HttpEndpoint("http://127.0.0.1:9/x", {"a": "b"}),
        ),
        ("{kind: python, function: 'hooks/a.py:check'}", PythonFunction("/p/hooks/a.py", "check")),
        ("{kind: builtin, policy: audit.tool-use}", Builtin(ToolUse())),
    ],
)
def test_the_kinds_of_handlers(text: str, expected: object):
    """S2-013, S2-014"""
    found = read(handler(text))
    assert found.problems == ()
    assert found.hooks[0].handler == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{kind: lambda, command: x}", "unknown kind `lambda`"),
        ("{kind: scrip, command: x}", "did you mean `script`?"),
        ("{kind: script}", "kind script needs `command`"),
        ("{kind: builtin, policy: audit.tool-us}", "did you mean `audit.tool-use`?"),
        ("{kind: http, url: nowhere}", "is no http address"),
        ("{kind: python, function: a.py}", "file.py:function"),
        ("{kind: script, command: ./a.sh, comand: x}", "unknown key `comand`"),
        ('{kind: script, command: "./a.sh \'x"}', "are its quotes closed?"),
        ('{kind: script, command: "./a.sh | tee b"}', "No shell runs it"),
        ('{kind: script, command: "./a.sh; rm b"}', "No shell runs it"),
        ('{kind: script, command: "./a.sh > b"}', "No shell runs it"),
        ("./a.sh", "`handler`: expected `object`"),
    ],
)
def test_a_wrong_handler_disables_the_hook(text: str, message: str):
    """S2-013"""
    assert message in problem(handler(text))


def test_a_policy_only_hears_its_own_events():
    assert "does not listen to SessionStop" in problem(
        handler("{kind: builtin, policy: audit.tool-use}").replace("PreToolUse", "SessionStop")
    )


@pytest.mark.parametrize(
    "command", ["../x.sh", "./a/../../x.sh", "/etc/x.sh", "python3 ../x.py", "./ok.sh ../../secret"]
)  # fmt: skip
def test_a_command_must_not_leave_the_repository(command: str):
    """S2-037"""
    assert "leads out of /p" in problem(handler(f"{{kind: script, command: {command}}}"))


def test_a_link_must_not_lead_out_of_the_repository(tmp_path):
    """S2-037"""
    (tmp_path / "outside.sh").write_text("#!/bin/sh\n")
    root = tmp_path / "p"
    root.mkdir()
    (root / "link.sh").symlink_to(tmp_path / "outside.sh")
    text = handler("{kind: script, command: ./link.sh}").encode()
    found = read_declarations([(DeclarationFile("f.yaml", "project", str(root)), text)], Config())
    assert "leads out of" in found.problems[0]


@given(st.text(max_size=80))
def test_no_text_makes_the_reader_raise(text: str):
    read_declarations([(place(), text.encode(errors="replace"))], Config())


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS, inner, max_size=3))


@given(st.dictionaries(st.sampled_from(["match", "handler", "environments", "event_type", "id", "timeout"]), TREES))
def test_no_tree_makes_the_reader_raise(tree: dict[str, object]):
    import yaml

    base = {"id": "a", "event_type": "PreToolUse", "handler": {"kind": "script", "command": "./a.sh"}}
    read_declarations([(place(), yaml.safe_dump({**base, **tree}).encode())], Config())


def test_a_policy_that_runs_programs_needs_its_user(project):
    """Law: what a repository brings runs only after its user agreed."""
    text = "id: lint\nevent_type: PostToolUse\nenabled: true\nhandler: {kind: builtin, policy: practice.lint}\n"
    project.write(".system/hooks/lint.yaml", text)
    catalog = project.catalog()
    assert not [hook for hook in catalog.hooks if hook.scope == "project"]
    assert any("synaptic policy enable practice.lint" in problem for problem in catalog.problems)
    project.write_user("hooks/lint.yaml", text)
    assert [hook.id for hook in project.catalog().hooks if hook.scope == "user"] == ["lint"]


def test_an_answer_counts_unless_the_declaration_says_otherwise():
    """S2-035"""
    (plain,) = read(PLAIN).hooks
    assert (plain.blocking, plain.awaited, plain.observes) == (False, True, True)
    (blocking,) = read(f"{PLAIN}blocking: true\n").hooks
    assert (blocking.awaited, blocking.observes) == (True, False)
    (started,) = read(f"{PLAIN}awaited: false\n").hooks
    assert (started.awaited, started.observes) == (False, False)


def test_what_nobody_awaits_cannot_block():
    assert "cannot stop anything" in problem(f"{PLAIN}blocking: true\nawaited: false\n")
