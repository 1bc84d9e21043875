"""An exception on the whole way of an event: what a refusal says of it, what it lifts, and all that it does not."""

import json
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from synaptic.model.call import Answer
from synaptic.model.decision import Kind
from synaptic.model.errors import StoreError
from synaptic.store import claims, grants, journal, refused
from synaptic.store.db import Store
from tests.daemon.setting import BLOCK, Setting, modify, output, specific
from tests.engine.granting import (
    RESET,
    allow,
    allow_like,
    find_refused,
    list_stored,
    make_grants,
    put,
    read_code,
    read_decision,
)

ASK = """echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'"""


@pytest.fixture
def blocked(setting: Setting) -> Setting:
    """A hook that refuses every command."""
    setting.register("guard", BLOCK, priority=20)
    return setting


@pytest.fixture
def losing(setting: Setting) -> Setting:
    """A repository with a line that is in no commit."""
    run = {"cwd": setting.project, "check": True, "capture_output": True}
    (setting.project / "cart.py").write_text("one\n")
    name = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for line in (["init", "-q"], ["add", "cart.py"], [*name, "commit", "-qm", "one"]):
        subprocess.run(["git", *line], **run)
    (setting.project / "cart.py").write_text("one\ntwo\n")
    return setting


def bash(setting: Setting, command: str, **more: Any) -> Answer:
    return setting.answer(setting.request(tool_input={"command": command}, **more))


# The handle


def test_a_refusal_says_who_refuses_and_how_a_person_lifts_it(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    reason = output(answer)["hookSpecificOutput"]["permissionDecisionReason"]
    code = read_code(answer)
    assert len(code) >= 4
    assert reason.endswith(f"\n[synaptic guard:guard.sh, a person may allow it: synaptic allow {code}]")
    assert blocked.last().decision.code == code


def test_the_person_is_told_the_first_time_and_not_again(blocked: Setting) -> None:
    first, second = bash(blocked, "ls"), bash(blocked, "ls")
    assert f"type: synaptic allow {read_code(first)}" in output(first)["systemMessage"]
    assert "`ls` (guard:guard.sh)" in output(first)["systemMessage"]
    assert "synaptic allow" not in output(second).get("systemMessage", "")
    assert read_code(second) == read_code(first)


def test_another_session_is_told_again(blocked: Setting) -> None:
    bash(blocked, "ls")
    assert "synaptic allow" in output(bash(blocked, "ls", session_id="s2"))["systemMessage"]


def test_the_same_call_has_the_same_handle_and_is_kept_once(blocked: Setting) -> None:
    answers = [bash(blocked, "ls") for _ in range(2)]
    assert len({read_code(answer) for answer in answers}) == 1
    assert find_refused(blocked, read_code(answers[0])).count == 2


def test_a_question_has_a_handle_and_the_person_who_is_asked_is_told_nothing_else(setting: Setting) -> None:
    answer = bash(setting, "terraform destroy -auto-approve")
    assert read_decision(answer) == "ask"
    assert read_code(answer)
    assert "systemMessage" not in output(answer)
    assert find_refused(setting, read_code(answer)).subject.asks


def test_what_nobody_may_lift_has_no_handle(setting: Setting) -> None:
    answer = bash(setting, f"rm -rf {setting.home.root}")
    assert read_decision(answer) == "deny"
    assert "nobody can make an exception" in output(answer)["hookSpecificOutput"]["permissionDecisionReason"]
    assert read_code(answer) == ""
    assert list_refused(setting) == ()


def test_the_user_names_more_that_nobody_may_lift(losing: Setting) -> None:
    answer = bash(losing, RESET)
    allow(losing, answer, scope="always")
    assert read_decision(bash(losing, RESET)) == ""
    losing.config('trust = "all"\n[grants]\nnever = ["git.*"]\n')
    assert read_decision(bash(losing, RESET)) == "deny"
    assert read_code(bash(losing, RESET)) == ""


def list_refused(setting: Setting) -> tuple[refused.RefusedCall, ...]:
    store = Store.open(setting.home)
    try:
        return refused.list_refused(store)
    finally:
        store.close()


def test_a_stranger_is_refused_without_a_handle_and_no_exception_counts_for_it(blocked: Setting) -> None:
    import msgspec

    allow(blocked, bash(blocked, "ls"), scope="always")
    request = msgspec.structs.replace(blocked.request(tool_input={"command": "ls"}), stranger="posted by a tool")
    answer = blocked.answer(request)
    assert read_decision(answer) == "deny"
    assert read_code(answer) == ""


# What it lifts, and what not


def test_a_once_grant_lets_one_call_through(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    (grant,) = allow(blocked, answer)
    assert read_decision(bash(blocked, "ls")) == ""
    entry = blocked.last()
    assert entry.decision.grants == (grant,)
    (step,) = [step for step in entry.decision.trace if step.phase == "lifted"]
    assert step.hook == "guard:guard.sh"
    assert grant in step.note
    again = bash(blocked, "ls")
    assert read_decision(again) == "deny"
    assert read_code(again) == read_code(answer)
    (stored,) = list_stored(blocked)
    assert stored.grant.used_by == entry.call
    assert stored.uses == 1


@pytest.mark.parametrize(
    ("scope", "more"),
    [("session", {"session": "s1"}), ("until", {"expires": time.time() + 3600}), ("here", {}), ("always", {})],
)
def test_a_lasting_grant_lets_every_such_call_through(blocked: Setting, scope: str, more: dict[str, Any]) -> None:
    where = {"root": str(blocked.project)} if scope == "here" else {}
    allow(blocked, bash(blocked, "ls"), scope=scope, **more, **where)
    assert [read_decision(bash(blocked, "ls")) for _ in range(3)] == [""] * 3
    assert list_stored(blocked)[0].uses == 3


@pytest.mark.parametrize("command", ["ls ", "ls .", "ls\n", " ls", "LS", "ls;", "ls #", "lѕ"])
def test_one_more_character_is_refused(blocked: Setting, command: str) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    assert read_decision(bash(blocked, command)) == "deny"


@pytest.mark.parametrize("more", [{"run_in_background": True}, {"dangerouslyDisableSandbox": True}])
def test_another_way_to_run_it_is_refused(blocked: Setting, more: dict[str, object]) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    assert read_decision(blocked.answer(blocked.request(tool_input={"command": "ls", **more}))) == "deny"


def test_another_description_is_the_same_call(blocked: Setting) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    told = {"command": "ls", "description": "harmless", "timeout": 5}
    assert read_decision(blocked.answer(blocked.request(tool_input=told))) == ""


def test_another_folder_is_refused(blocked: Setting) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    (blocked.project / "sub").mkdir()
    assert read_decision(bash(blocked, "ls", cwd=str(blocked.project / "sub"))) == "deny"


def test_a_folder_that_has_become_a_link_to_another_one_is_refused(blocked: Setting) -> None:
    folder, other = blocked.project / "sub", blocked.project / "other"
    folder.mkdir()
    other.mkdir()
    allow(blocked, bash(blocked, "ls", cwd=str(folder)), scope="always")
    assert read_decision(bash(blocked, "ls", cwd=str(folder))) == ""
    folder.rmdir()
    folder.symlink_to(other)
    assert read_decision(bash(blocked, "ls", cwd=str(folder))) == "deny"


def test_another_session_or_project_is_refused(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    allow(blocked, answer, scope="session", session="s1")
    assert read_decision(bash(blocked, "ls", session_id="s2")) == "deny"
    allow(blocked, answer, scope="here", root="/elsewhere")
    assert read_decision(bash(blocked, "ls", session_id="s3")) == "deny"


def test_an_expired_or_revoked_grant_lifts_nothing(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    allow(blocked, answer, scope="until", expires=time.time() - 1)
    ids = allow(blocked, answer, scope="always")
    store = Store.open(blocked.home)
    assert grants.revoke_grants(store, ids, time.time()) == 1
    store.close()
    assert read_decision(bash(blocked, "ls")) == "deny"


def test_a_changed_option_is_another_policy(setting: Setting) -> None:
    setting.config('trust = "all"\n[policies."git.force-push"]\nprotected = ["main"]\n')
    answer = bash(setting, "git push --force origin main")
    assert read_decision(answer) == "deny"
    allow(setting, answer, scope="always")
    assert read_decision(bash(setting, "git push --force origin main")) != "deny"
    setting.config('trust = "all"\n[policies."git.force-push"]\nprotected = ["main", "develop"]\n')
    assert read_decision(bash(setting, "git push --force origin main")) == "deny"


def test_a_yes_to_one_lost_line_is_no_yes_to_two(losing: Setting) -> None:
    answer = bash(losing, RESET)
    assert "cart.py" in output(answer)["hookSpecificOutput"]["permissionDecisionReason"]
    allow(losing, answer)
    (losing.project / "cart.py").write_text("one\ntwo\nthree\n")
    assert read_decision(bash(losing, RESET)) == "deny"
    (losing.project / "cart.py").write_text("one\ntwo\n")
    assert read_decision(bash(losing, RESET)) == ""


def test_a_grant_for_one_policy_leaves_another_standing_in_the_same_line(losing: Setting) -> None:
    line = f"{RESET} && rm -rf /etc/hosts"
    answer = bash(losing, line)
    acts = find_refused(losing, read_code(answer)).subject.acts
    others = {"git.reset-hard": 0}
    made = [one for one in make_grants(find_refused(losing, read_code(answer)), scope="always") if one.policy in others]
    put(losing, made)
    again = bash(losing, line)
    assert read_decision(again) == "deny"
    assert losing.last().decision.by != "git.reset-hard"
    assert acts


def test_a_grant_for_a_policy_does_not_lift_what_a_script_says(losing: Setting) -> None:
    answer = bash(losing, RESET)
    allow(losing, answer, scope="always")
    losing.register("guard", BLOCK, priority=50)
    again = bash(losing, RESET)
    assert read_decision(again) == "deny"
    assert losing.last().decision.by == "guard:guard.sh"


def test_a_script_that_fails_and_is_set_to_deny_is_lifted_by_nothing(setting: Setting) -> None:
    setting.register("strict", BLOCK, on_error="deny")
    allow(setting, bash(setting, "ls"), scope="always")
    assert read_decision(bash(setting, "ls")) == ""
    (setting.project / ".synaptic" / "skills" / "strict" / "hooks" / "strict.sh").write_text("#!/bin/sh\nexit 1\n")
    answer = bash(setting, "ls")
    assert read_decision(answer) == "deny"
    assert read_code(answer) == ""


def test_beside_a_failed_guard_there_is_no_handle(setting: Setting) -> None:
    """Whoever lifted the one verdict would find the other one standing."""
    setting.register("one", ASK, priority=10)
    answer = bash(setting, "ls")
    assert read_code(answer)
    setting.register("strict", "exit 1", on_error="deny", priority=20)
    answer = bash(setting, "ls")
    assert read_decision(answer) == "deny"
    assert read_code(answer) == ""


def test_all_who_ask_are_named_and_lifted_together(setting: Setting) -> None:
    setting.register("one", ASK, priority=20)
    setting.register("two", ASK, priority=30)
    answer = bash(setting, "ls")
    assert read_decision(answer) == "ask"
    assert [act.policy for act in find_refused(setting, read_code(answer)).subject.acts] == ["one:one.sh", "two:two.sh"]
    allow(setting, answer)
    assert read_decision(bash(setting, "ls")) == ""
    assert {one.uses for one in list_stored(setting)} == {1}


# Rewritten calls


def test_a_lifted_question_keeps_its_rewrite(setting: Setting) -> None:
    said = {"permissionDecision": "ask", "permissionDecisionReason": "sure?", "updatedInput": {"command": "ls -a"}}
    told = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}})
    setting.register("one", f"echo '{told}'", protocol="native")
    answer = bash(setting, "ls")
    assert read_decision(answer) == "ask"
    allow(setting, answer)
    after = bash(setting, "ls")
    assert specific(after)["updatedInput"] == {"command": "ls -a"}
    assert read_decision(after) in ("", "allow")


def test_a_grant_for_a_call_does_not_cover_another_that_is_rewritten_to_it(blocked: Setting) -> None:
    allow(blocked, bash(blocked, "ls -a"), scope="always")
    blocked.register("writer", modify("ls -a"), priority=10)
    assert read_decision(bash(blocked, "ls")) == "deny"
    assert read_decision(bash(blocked, "ls -a")) == ""


def test_a_grant_for_a_call_as_it_came_does_not_cover_what_a_later_hook_makes_of_it(blocked: Setting) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    assert read_decision(bash(blocked, "ls")) == ""
    blocked.register("writer", modify("rm -r build"), priority=60)
    answer = bash(blocked, "ls")
    assert read_decision(answer) == "deny"
    assert blocked.last().decision.trace[-1].phase != "lifted"


def test_a_rewritten_call_is_lifted_once_both_looks_are(blocked: Setting) -> None:
    blocked.register("writer", modify("ls -a"), priority=60)
    allow(blocked, bash(blocked, "ls"), scope="always")
    answer = bash(blocked, "ls")
    assert read_decision(answer) == "deny"
    allow(blocked, answer, scope="always")
    assert specific(bash(blocked, "ls"))["updatedInput"] == {"command": "ls -a"}


# Patterns


def test_a_pattern_covers_commands_of_its_shape_and_nothing_beside_them(blocked: Setting) -> None:
    allow_like(blocked, bash(blocked, "ls src"), "ls *")
    assert read_decision(bash(blocked, "ls lib")) == ""
    for command in ("ls -R", "ls lib src", "ls ..", "ls lib;id", "ls $(id)", "ls a=b", "ls", "ls .git", "cat lib"):
        assert read_decision(bash(blocked, command)) == "deny", command


def test_a_pattern_does_not_count_outside_of_its_project(setting: Setting, tmp_path: Path) -> None:
    line = "terraform destroy -auto-approve"
    allow_like(setting, bash(setting, line), "terraform destroy *")
    assert read_decision(bash(setting, line)) == "ask"  # a star is no option
    allow_like(setting, bash(setting, line), line)
    assert read_decision(bash(setting, line)) == ""
    (setting.project / "out").symlink_to("/")
    for folder in (str(tmp_path), "/", f"{setting.project}/out"):
        assert read_decision(bash(setting, line, cwd=folder)) == "ask", folder


def test_a_pattern_covers_no_tool_that_only_carries_a_command(blocked: Setting) -> None:
    blocked.register("all", BLOCK, matcher="*", priority=21)
    allow_like(blocked, bash(blocked, "ls src"), "ls *")
    request = blocked.request(tool_name="mcp__shell__run", tool_input={"command": "ls lib", "host": "elsewhere"})
    assert read_decision(blocked.answer(request)) == "deny"


@pytest.mark.parametrize("more", [{"workdir": "/"}, {"cwd": "/etc"}, {"env": {"LD_PRELOAD": "x"}}])
def test_a_pattern_does_not_cover_a_command_with_more_around_it(blocked: Setting, more: dict[str, object]) -> None:
    allow_like(blocked, bash(blocked, "ls src"), "ls *")
    assert read_decision(blocked.answer(blocked.request(tool_input={"command": "ls lib", **more}))) == "deny"


def edit(setting: Setting, path: str, tool: str = "Edit") -> Answer:
    given = {"file_path": path, "old_string": "a", "new_string": "b", "content": "x"}
    return setting.answer(setting.request(tool_name=tool, tool_input=given))


@pytest.fixture
def unwritable(setting: Setting) -> Setting:
    """A hook that refuses every edit and every read."""
    setting.register("files", BLOCK, matcher="Edit|Read|Write")
    (setting.project / "src").mkdir()
    return setting


def test_a_pattern_of_paths_covers_files_below_the_project(unwritable: Setting) -> None:
    root = unwritable.project
    allow_like(unwritable, edit(unwritable, f"{root}/src/a.py"), "src/**", subject="edit")
    assert read_decision(edit(unwritable, f"{root}/src/b/c.py")) == ""
    (root / "src" / "out").symlink_to("/etc")
    for path in (
        f"{root}/a.py", "/etc/hosts", f"{root}/src/../a.py", f"{root}/src/out/hosts", f"{root}/src/.env",
        f"{root}/src/.git/config", "~/src/a.py", f"{root}/src/a\0.py",
    ):  # fmt: skip
        assert read_decision(edit(unwritable, path)) == "deny", path


def test_a_pattern_for_edits_is_none_for_reads_and_no_changed_column_makes_it_one(unwritable: Setting) -> None:
    root = unwritable.project
    allow_like(unwritable, edit(unwritable, f"{root}/src/a.py", "Read"), "src/**", subject="read")
    assert read_decision(edit(unwritable, f"{root}/src/a.py", "Read")) == ""
    assert read_decision(edit(unwritable, f"{root}/src/a.py")) == "deny"
    with sqlite3.connect(unwritable.home.database) as connection:
        connection.execute("UPDATE grants SET subject = 'edit'")
    connection.close()
    assert read_decision(edit(unwritable, f"{root}/src/a.py")) == "deny"


# What fails


def test_a_call_that_cannot_be_looked_up_stays_refused(blocked: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    for error in (StoreError("locked"), OSError(5, "disk"), ValueError("null byte"), RuntimeError("defect")):

        def fail(*given: object, error: Exception = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(grants, "find_for_act", fail)
            assert read_decision(bash(blocked, "ls")) == "deny"


@pytest.mark.parametrize(("scope", "decision"), [("once", "deny"), ("always", "")])
def test_where_nothing_can_be_written_only_exceptions_count_that_are_not_used_up(
    blocked: Setting, monkeypatch: pytest.MonkeyPatch, scope: str, decision: str
) -> None:
    """On a full disk a once-grant would let every call through."""

    def fail(*given: object) -> None:
        raise StoreError("the disk is full")

    allow(blocked, bash(blocked, "ls"), scope=scope)
    with monkeypatch.context() as patch:
        patch.setattr(journal, "claim_records", fail)
        assert [read_decision(bash(blocked, "ls")) for _ in range(2)] == [decision, decision]
    assert read_decision(bash(blocked, "ls")) == ""


def test_a_grant_that_is_spent_is_not_believed_because_the_journal_cannot_be_read(
    blocked: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spent by another call in between, and then the database fails: refused, not let through."""

    def fail(*given: object) -> None:
        raise StoreError("locked")

    allow(blocked, bash(blocked, "ls"))
    monkeypatch.setattr(journal.grants, "are_in_force", lambda *given: False)
    monkeypatch.setattr(claims, "find_claim", fail)
    assert read_decision(bash(blocked, "ls")) == "deny"


def test_a_grant_that_is_always_gone_when_it_counts_ends_as_a_refusal(
    blocked: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = bash(blocked, "ls")
    for _ in range(20):
        allow(blocked, answer)
    monkeypatch.setattr(journal.grants, "are_in_force", lambda *given: False)
    assert read_decision(bash(blocked, "ls")) == "deny"


def test_several_once_grants_are_used_one_after_another(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    for _ in range(3):
        allow(blocked, answer)
    assert [read_decision(bash(blocked, "ls")) for _ in range(4)] == ["", "", "", "deny"]


def test_what_lasts_is_used_before_what_is_used_up(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    allow(blocked, answer)
    allow(blocked, answer, scope="always")
    bash(blocked, "ls")
    assert {one.grant.scope: one.uses for one in list_stored(blocked)} == {"once": 0, "always": 1}


def test_half_a_letter_in_a_refused_call_costs_no_journal_entry(blocked: Setting) -> None:
    raw = json.dumps(blocked.payload(tool_input={"command": "ls \ud800"}, session_id="s\udc00")).encode()
    answer = blocked.answer(blocked.raw("PreToolUse", raw))
    assert read_decision(answer) == "deny"
    assert b"not in the journal" not in answer.stderr
    assert find_refused(blocked, read_code(answer)).count == 1


# How much is kept


@pytest.mark.parametrize("keep", ["structure", "off"])
def test_a_journal_that_keeps_less_keeps_no_text_of_a_refusal_and_grants_work(losing: Setting, keep: str) -> None:
    losing.config(f'trust = "all"\njournal = "{keep}"\n')
    told = {"command": RESET, "description": "a secret plan"}
    answer = losing.answer(losing.request(tool_input=told))
    found = find_refused(losing, read_code(answer))
    assert (found.reason, found.said, found.subject.shown, found.subject.shape) == ("", "", "", "")
    for table in ("refused", "grants", "events"):
        with sqlite3.connect(losing.home.database) as connection:
            rows = repr(connection.execute(f"SELECT * FROM {table}").fetchall())
        connection.close()
        assert "cart.py" not in rows, table
        assert "secret plan" not in rows, table
    allow(losing, answer)
    assert [read_decision(bash(losing, RESET)) for _ in range(2)] == ["", "deny"]


@pytest.mark.parametrize("keep", ["full", "structure", "off"])
def test_a_repeated_call_gets_the_same_answer_and_uses_nothing_twice(blocked: Setting, keep: str) -> None:
    blocked.config(f'trust = "all"\njournal = "{keep}"\n')
    answer = bash(blocked, "ls")
    for _ in range(2):
        allow(blocked, answer)
    request = blocked.request(tool_input={"command": "ls"})
    answers = [blocked.fallback(request) for _ in range(3)] + [blocked.answer(request)]
    assert {read_decision(one) for one in answers} == {""}
    assert sorted(one.uses for one in list_stored(blocked)) == [0, 1]


def test_a_rehearsal_has_no_handle_writes_nothing_and_uses_nothing(blocked: Setting) -> None:
    answer = bash(blocked, "ls")
    tried = blocked.rehearse(blocked.request(tool_input={"command": "ls"}))
    assert tried.decision.kind is Kind.DENY
    assert tried.decision.code == ""
    assert "synaptic allow" not in tried.decision.reason
    assert find_refused(blocked, read_code(answer)).count == 1
    allow(blocked, answer)
    for _ in range(2):
        assert blocked.rehearse(blocked.request(tool_input={"command": "ls"})).decision.kind is Kind.NONE
    assert list_stored(blocked)[0].uses == 0


def test_a_replaced_key_voids_every_exception(blocked: Setting) -> None:
    allow(blocked, bash(blocked, "ls"), scope="always")
    key = blocked.home.database.with_name("state.key")
    key.unlink()
    answer = bash(blocked, "ls")
    assert read_decision(answer) == "deny"
    assert list_stored(blocked) == ()
