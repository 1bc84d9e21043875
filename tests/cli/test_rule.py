"""`synaptic rule`: written with comments kept, refused when its own examples fail, shown, tried and taken out."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from synaptic.cli import completion, screen
from synaptic.cli.place import open_database
from synaptic.store import journal
from synaptic.store.record import EventRecord
from tests.cli.conftest import User

ASK = ("--run", "npm publish", "--ask", "Releases go through CI.")


def rules(file: Path) -> list[dict[str, Any]]:
    return tomllib.loads(file.read_text()).get("rule", []) if file.exists() else []


def project_rules(user: User) -> Path:
    return user.project / ".synaptic" / "rules.toml"


def note_call(user: User, tool: str, **given: object) -> None:
    """An event of the journal, as Claude Code sends it."""
    payload = {"session_id": "s", "cwd": str(user.project), "hook_event_name": "PreToolUse", "tool_name": tool}
    user.home.root.mkdir(exist_ok=True)
    with open_database(user.home) as store:
        number = journal.count_events(store) + 1
        record = EventRecord(
            call=f"c{number}", at=0.0, agent="claude", event="PreToolUse", tool=tool, root=str(user.project),
            payload=json.dumps({**payload, "tool_input": given}),
        )  # fmt: skip
        journal.append_records(store, [record])


def test_a_rule_is_written_with_an_id_and_examples_and_comments_stay(user: User):
    user.configures('# mine\npresets = ["essentials"]  # only these\n')
    shown = user.types("rule", "add", *ASK)
    assert shown.code == 0, shown.err
    assert shown.out.splitlines() == [
        f"rule npm.publish written to {user.home.config}",
        "  stops   `npm publish`",
        "  passes  `echo 'npm publish'`",
    ]
    assert user.home.config.read_text() == (
        '# mine\npresets = ["essentials"]  # only these\n\n'
        '[[rule]]\nid = "npm.publish"\nrun = "npm publish"\nthen = "ask"\nsay = "Releases go through CI."\n'
        'stops = ["npm publish"]\npasses = ["echo \'npm publish\'"]\n'
    )


def test_a_rule_for_everybody_goes_into_the_project(user: User):
    shown = user.types("rule", "add", "--edit", "package-lock.json", "--deny", "Use npm.", "--project")
    assert "whoever clones the project is guarded" in shown.out
    (rule,) = rules(project_rules(user))
    assert rule["id"] == "edit.package-lock-json"
    assert rule["stops"] == [{"edit": "package-lock.json"}]
    assert rule["passes"] == [{"read": "package-lock.json"}]
    assert not user.home.config.exists()


@pytest.mark.parametrize(
    ("words", "name", "stops"),
    [
        (
            ("--run", "git push", "--flags", "--force", "--flags", "-f"),
            "git.push-force",
            ["git push --force", "git push -f"],
        ),
        (("--run", "terraform"), "terraform.run", ["terraform"]),
        (("--run", "./tools/deploy.sh"), "deploy-sh.run", ["./tools/deploy.sh"]),
        (("--run", "dd", "--args", "of=/dev/*"), "dd.run", ["dd of=/dev/x"]),
        (("--read", "~/.netrc"), "read.netrc", [{"read": "~/.netrc"}]),
        (("--tool", "mcp__github__*"), "tool.mcp-github", [{"tool": "mcp__github__x", "input": {}}]),
        (("--host", "*.example.com"), "host.example-com", [{"host": "www.example.com"}]),
        (("--prompt", "drop the database"), "prompt.drop-the-database", [{"prompt": "drop the database"}]),
        (("--edit", "src/**", "--branch", "main"), "edit.src", [{"edit": "src/x", "branch": "main"}]),
        (("--write", "*.env", "--content", "KEY"), "write.env", [{"write": "x.env", "content": "KEY"}]),
        (
            ("--event", "Stop", "--after", "edited src/**", "--before", "edited CHANGELOG.md"),
            "event.stop",
            [{"event": "Stop", "after": ["edited src/**"]}],
        ),
        (("--content", "a+b"), "content.a-b", None),
    ],
)
def test_ids_and_examples_follow_from_conditions(user: User, words: tuple[str, ...], name: str, stops: object):
    shown = user.types("rule", "add", *words, "--remind" if "Stop" in words else "--ask", "Why?", "--json", "--dry-run")
    assert shown.code == 0, shown.out
    rule = shown.json["rule"]
    assert (rule["id"], rule.get("stops")) == (name, stops)
    assert not user.home.config.exists()


def test_an_id_is_taken_once(user: User):
    user.types("rule", "add", *ASK)
    user.types("rule", "add", "--run", "npm publish", "--flags", "--tag", "--deny", "No.", "--id", "npm.tag")
    assert user.types("rule", "add", "--run", "npm pack extra", "--ask", "x", "--json").json["rule"]["id"] == (
        "npm.pack-extra"
    )
    shown = user.types("rule", "add", "--run", "yarn publish", "--ask", "x", "--id", "npm.tag")
    assert shown.code == 1
    assert "there is a rule `npm.tag` already (rule 2)" in shown.err
    assert "synaptic rule show npm.tag" in shown.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((*ASK, "--stops", "npm run x"), "`stops`: example 1 (`npm run x`) is not stopped by this rule"),
        ((*ASK, "--passes", "npm publish --dry-run"), "is stopped by this rule"),
        (("--run", "nmp publish", "--ask", "x"), "did you mean `npm`?"),
        (("--run", "npm publish --tag", "--ask", "x"), "write it in `flags`"),
        (("--edit", "a[", "--ask", "x"), "`[` without its `]`"),
        (("--content", "(?!x)y", "--ask", "x"), "looks around"),
        (("--event", "Stopp", "--ask", "x"), "Stop"),
        (("--event", "Stop", "--run", "ls", "--ask", "x"), "never"),
        ((*ASK, "--id", "Not An Id"), "must look like"),
        ((*ASK, "--instead", "npm publish --tag next"), "is stopped by this rule itself"),
    ],
)
def test_a_wrong_rule_is_refused_and_nothing_is_written(user: User, words: tuple[str, ...], why: str):
    shown = user.types("rule", "add", *words)
    assert shown.code == 1
    assert why in shown.err
    assert not user.home.config.exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--run", "npm publish"), "one of --deny, --ask, --advise and --remind"),
        ((*ASK, "--deny", "x"), "one of --deny, --ask, --advise and --remind"),
        (("--ask", "x"), "say when it speaks"),
    ],
)
def test_what_is_missing_is_said(user: User, words: tuple[str, ...], why: str):
    shown = user.types("rule", "add", *words)
    assert shown.code == 2
    assert why in shown.err


def test_a_list_has_every_rule_also_those_that_do_not_work(user: User):
    user.types("rule", "add", *ASK)
    off = '[[rule]]\nid = "a.off"\nrun = "npm test"\nthen = "deny"\nsay = "x"\nenabled = false\n'
    user.writes(".synaptic/rules.toml", off + '[[rule]]\nid = "a.bad"\nrum = "ls"\nthen = "deny"\nsay = "x"\n')
    shown = user.types("rule", "list", "--json").json
    assert [(rule["id"], rule["state"], rule["scope"]) for rule in shown["rules"]] == [
        ("npm.publish", "on", "user"),
        ("a.off", "off", "project"),
        ("a.bad", "unusable", "project"),
    ]
    assert "rule 2 `a.bad`" in shown["problems"][0]
    told = user.types("rule", "list").out
    assert "npm.publish  ask   run npm publish" in told
    assert "problem: " in told
    assert user.types("rule", "test").code == 1


def test_without_rules_it_says_how_to_begin(user: User):
    assert "synaptic rule add" in user.types("rule", "list").out
    assert user.types("rule", "list", "--json").json == {"ok": True, "rules": [], "problems": []}


def test_folders_on_the_way_add_up(user: User, monkeypatch: pytest.MonkeyPatch):
    user.types("rule", "add", "--run", "npm publish", "--deny", "x", "--project")
    inner = user.writes(
        "packages/api/.synaptic/rules.toml", '[[rule]]\nid = "a.b"\nthen = "deny"\nsay = "x"\nrun = "ls"\n'
    )
    monkeypatch.chdir(inner.parents[1])
    shown = user.types("rule", "list", "--json").json
    assert [rule["id"] for rule in shown["rules"]] == ["npm.publish", "a.b"]


def test_one_rule_is_shown_as_it_is_written(user: User):
    user.types("rule", "add", *ASK)
    shown = user.types("rule", "show", "npm.publish").out
    assert f"{user.home.config}: rule 1 (user, on)" in shown
    assert 'run = "npm publish"' in shown
    missing = user.types("rule", "show", "npm.publsh")
    assert missing.code == 1
    assert "did you mean `npm.publish`?" in missing.err


def test_a_command_meets_rules(user: User):
    user.types("rule", "add", *ASK)
    user.types("rule", "add", "--run", "git push", "--deny", "No.", "--project")
    shown = user.types("rule", "test", "--command", "cd x && sudo npm publish")
    assert shown.code == 0
    assert "2 rules, 4 examples: all as they say" in shown.out
    assert f"  ask  npm.publish  ({user.home.config}: rule 1)" in shown.out
    assert "git.push" not in shown.out
    met = user.types("rule", "test", "--command", "echo 'npm publish'", "--json").json
    assert met == {"ok": True, "rules": 2, "examples": 4, "failed": [], "meets": []}
    assert "no rule speaks about it" in user.types("rule", "test", "git.push", "--command", "npm publish").out


def test_an_example_that_fails_is_exit_code_1(user: User):
    text = '[[rule]]\nid = "a.b"\nrun = "npm publish"\nthen = "deny"\nsay = "x"\nstops = ["npm test"]\n'
    user.writes(".synaptic/rules.toml", text)
    shown = user.types("rule", "test", "a.b")
    assert shown.code == 1
    assert "rules.toml: rule 1 `a.b`: `stops`: example 1 (`npm test`) is not stopped by this rule" in shown.err
    assert user.types("rule", "test", "--json").json["ok"] is False


def test_a_rule_is_taken_out_and_the_rest_stays(user: User):
    user.configures("# mine\n")
    user.types("rule", "add", *ASK)
    user.types("rule", "add", "--run", "npm publish", "--deny", "x", "--project")
    assert user.types("rule", "remove", "npm.publish").code == 0
    assert user.home.config.read_text() == "# mine\n"
    again = user.types("rule", "remove", "npm.publish")
    assert again.code == 1
    assert "--project" in again.err
    assert user.types("rule", "remove", "npm.publish", "--project", "--json").json["removed"] == "npm.publish"
    assert rules(project_rules(user)) == []


def test_a_call_that_was_made_becomes_a_rule(user: User):
    note_call(user, "Bash", command="cd web && sudo systemctl restart nginx")
    asked = user.types("rule", "from-event", "1")
    assert asked.code == 1
    assert "--yes" in asked.err
    shown = user.types("rule", "from-event", "1", "--dry-run")
    assert 'run = "systemctl restart"' in shown.out
    assert "the call is also about sudo" in shown.err
    assert not user.home.config.exists()
    user.types("rule", "from-event", "1", "--yes", "--deny", "Ask the night shift.")
    (rule,) = rules(user.home.config)
    assert (rule["id"], rule["then"], rule["say"]) == ("systemctl.restart", "deny", "Ask the night shift.")
    assert rule["stops"] == ["systemctl restart"]


def test_an_edit_that_was_made_becomes_a_rule_for_every_clone(user: User):
    note_call(user, "Edit", file_path=str(user.project / "src" / "api.py"), old_string="a", new_string="b")
    user.types("rule", "from-event", "1", "--yes", "--project")
    (rule,) = rules(project_rules(user))
    assert (rule["edit"], rule["then"]) == ("src/api.py", "ask")
    assert rule["say"] == "`src/api.py` is asked about here."


def test_a_person_is_shown_the_rule_and_asked(user: User, monkeypatch: pytest.MonkeyPatch):
    note_call(user, "Bash", command="npm publish")
    monkeypatch.setattr(screen, "is_dialogue", lambda: True)
    for answer, code, count in ((False, 1, 0), (True, 0, 1)):
        monkeypatch.setattr("synaptic.cli.typer.confirm", lambda *_, said=answer, **__: said)
        shown = user.types("rule", "from-event", "1")
        assert 'run = "npm publish"' in shown.out
        assert (shown.code, len(rules(user.home.config))) == (code, count)


def test_an_event_without_a_call_says_so(user: User):
    user.home.root.mkdir()
    with open_database(user.home) as store:
        payload = json.dumps({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"})
        journal.append_records(store, [EventRecord(call="a", at=0.0, agent="claude", event="Stop", payload=payload)])
    assert "Stop is about no tool" in user.types("rule", "from-event", "1", "--dry-run").err
    assert "there is no event 7" in user.types("rule", "from-event", "7", "--dry-run").err
    note_call(user, "Bash", command="echo hi")
    assert "names no program" in user.types("rule", "from-event", "2", "--dry-run").err


def test_ids_are_offered_to_the_shell(user: User):
    assert completion.complete_rules("") == []
    user.types("rule", "add", *ASK)
    assert completion.complete_rules("npm") == [("npm.publish", "ask")]
    assert completion.complete_rules("git") == []
