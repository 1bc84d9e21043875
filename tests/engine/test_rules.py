"""Rules through the whole engine: what they decide, what is remembered for them, and who cannot be fooled."""

import asyncio
import json
from pathlib import Path

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import open_engine
from synaptic.model.call import Answer, Request
from synaptic.model.decision import Decision
from synaptic.pipeline.explain import EventStory, explain_event
from tests.daemon.setting import Setting, without_handle

PUBLISH = """
[[rule]]
id = "npm.publish"
run = "npm publish"
then = "deny"
say = "Releases are made by the pipeline."
instead = "npm pack"
"""
TESTED = """
[[rule]]
id = "commit.untested"
run = "git commit"
after = "edited src/**"
before = "tests ran"
then = "deny"
say = "Run the tests first."
"""


class Session:
    """One session of an agent whose events are decided and written, one after another."""

    def __init__(self, setting: Setting, presets: str = "[]") -> None:
        self.setting = setting
        setting.config(f"presets = {presets}\n")

    def rules(self, text: str, folder: str = "") -> None:
        path = self.setting.project / folder / ".synaptic" / "rules.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def user_rules(self, text: str) -> None:
        with self.setting.home.config.open("a") as file:
            file.write(text)

    def tell(self, event: str = "PreToolUse", **fields: object) -> Decision:
        return asyncio.run(self._walk(self.setting.request(event, **fields)))

    def bash(self, command: str, event: str = "PreToolUse", **fields: object) -> Decision:
        return self.tell(event, tool_name="Bash", tool_input={"command": command}, **fields)

    def done(self, command: str, **fields: object) -> Decision:
        return self.bash(command, "PostToolUse", tool_response={"stdout": ""}, **fields)

    def edit(self, path: str, event: str = "PreToolUse", **fields: object) -> Decision:
        given = {"file_path": str(self.setting.project / path), "old_string": "a", "new_string": "b"}
        return self.tell(event, tool_name="Edit", tool_input=given, tool_response={}, **fields)

    async def _walk(self, request: Request) -> Decision:
        engine = open_engine(self.setting.home)
        try:
            return (await engine.walk(request)).decision
        finally:
            await engine.close()


@pytest.fixture
def session(setting: Setting) -> Session:
    return Session(setting)


def test_a_rule_of_a_project_refuses_without_any_trust(session: Session) -> None:
    session.setting.config('trust = "ask"\npresets = []\n')
    session.rules(PUBLISH)
    found = session.bash("cd web && npm publish --tag beta")
    assert (found.kind, found.by) == ("deny", "npm.publish")
    assert without_handle(found.reason) == "Releases are made by the pipeline.\nUse instead: npm pack"
    assert [step.source for step in found.trace if step.hook == "npm.publish"] == [
        f"{session.setting.project}/.synaptic/rules.toml: rule 1"
    ]
    assert session.bash("npm pack").kind == "none"


def test_a_rule_of_the_user_stands_in_the_config_and_holds_everywhere(session: Session) -> None:
    session.user_rules(PUBLISH)
    found = session.bash("npm publish")
    assert (found.kind, found.trace[-1].source) == ("deny", f"{session.setting.home.config}: rule 1")


def test_quiet_rules_are_not_named_in_the_journal(session: Session) -> None:
    session.rules(PUBLISH)
    found = session.bash("npm install")
    assert all("npm.publish" not in step.note for step in found.trace)


@pytest.mark.parametrize(
    ("then", "kind"), [("ask", "ask"), ("advise", "advise"), ("record", "none"), ("remind", "advise")]
)
def test_each_action_says_what_it_is(session: Session, then: str, kind: str) -> None:
    session.rules(PUBLISH.replace('"deny"', f'"{then}"'))
    found = session.bash("npm publish")
    assert found.kind == kind
    assert [step.phase for step in found.trace if step.hook == "npm.publish"] == ["run"]


def test_a_reminder_is_told_once_a_session_and_to_every_agent_in_it(session: Session) -> None:
    session.rules(PUBLISH.replace('"deny"', '"remind"'))
    told = [session.bash("npm publish").context for _ in range(2)]
    assert [bool(one) for one in told] == [True, False]
    assert session.bash("npm publish", agent_id="a1").context
    assert session.bash("npm publish", session_id=new_call_id()).context


def test_a_reminder_once_a_prompt_is_told_again_after_the_next_one(session: Session) -> None:
    session.rules(PUBLISH.replace('"deny"', '"remind"\nonce = "prompt"'))
    session.tell("UserPromptSubmit", prompt="go on")
    assert session.bash("npm publish").context
    assert not session.bash("npm publish").context
    session.tell("UserPromptSubmit", prompt="go on")
    assert session.bash("npm publish").context


def test_a_reminder_holds_a_stop_once(session: Session) -> None:
    session.rules('[[rule]]\nid = "log.left"\nevent = "Stop"\nthen = "remind"\nsay = "Write the log."\n')
    assert session.tell("Stop", stop_hook_active=False).feedback == ("Write the log.",)
    assert session.tell("Stop", stop_hook_active=True).feedback == ()
    assert session.tell("Stop", stop_hook_active=False).feedback == ()


def test_what_has_happened_counts_from_its_own_end_on(session: Session) -> None:
    session.rules(TESTED)
    assert session.bash("git commit -m x").kind == "none"
    session.edit("src/a.py", "PostToolUse")
    assert session.bash("git commit -m x").kind == "deny"
    session.done("pytest -q")
    assert session.bash("git commit -m x").kind == "none"
    session.edit("src/a.py", "PostToolUse", agent_id="sub")
    assert session.bash("git commit -m x").kind == "deny"


@pytest.mark.parametrize(
    "command",
    ["pytest || true", "pytest | tail -3", "pytest; true", "pytest &", "pytest --collect-only", "echo pytest",
     "pytest --help", "pytest; exit 0", "(pytest) || :", "pip install pytest", "true || pytest"],
)  # fmt: skip
def test_a_run_that_may_have_failed_opens_no_gate(session: Session, command: str) -> None:
    session.rules(TESTED)
    session.edit("src/a.py", "PostToolUse")
    session.done(command)
    assert session.bash("git commit -m x").kind == "deny"


@pytest.mark.parametrize(
    "command",
    ["pytest", "cd web && npm test", "set -o pipefail; pytest | tail", "python -m pytest -x 2>&1", "npm run test:unit",
     "make test && echo done", "uv run pytest", "npx jest"],
)  # fmt: skip
def test_a_run_that_ended_well_opens_it(session: Session, command: str) -> None:
    session.rules(TESTED)
    session.edit("src/a.py", "PostToolUse")
    session.done(command)
    assert session.bash("git commit -m x").kind == "none"


def test_a_failed_run_opens_no_gate_and_a_failed_edit_shuts_one(session: Session) -> None:
    session.rules(TESTED)
    session.bash("sed -i s/a/b/ src/a.py; false", "PostToolUseFailure", error="Exit code 1")
    session.bash("pytest", "PostToolUseFailure", error="Exit code 1")
    session.bash("pytest", "PostToolUse", tool_response={"exit_code": 1})
    assert session.bash("git commit -m x").kind == "deny"


def test_nothing_is_noted_that_no_rule_asks_about(session: Session) -> None:
    session.rules(PUBLISH)
    assert session.done("pytest").effects == ()


def test_a_rewrite_of_the_user_rewrites_and_one_of_a_project_only_says_so(session: Session) -> None:
    rule = '\n[[rule]]\nid = "npm.scripts"\nrun = "npm install"\nthen = "rewrite"\nadd = "--ignore-scripts"\n'
    session.rules(rule)
    found = session.bash("cd web && npm install left-pad")
    assert found.kind == "deny"
    assert "Use instead: cd web && npm install --ignore-scripts left-pad" in found.reason
    assert session.bash("npm install --ignore-scripts x").kind == "none"
    session.rules("")
    session.user_rules(rule)
    found = session.bash("cd web && npm install left-pad")
    assert (found.kind, found.input) == ("rewrite", {"command": "cd web && npm install --ignore-scripts left-pad"})


@pytest.mark.parametrize(
    ("keys", "command", "wanted"),
    [
        ('remove = "--force"', "npm install --force x", "npm install  x"),
        ('remove = "-f"', "npm install -fg x", "npm install -g x"),
        ('replace = { npm = "pnpm", install = "add" }', "npm install 'a b'", "pnpm add 'a b'"),
        ('add = ["--tag", "a b"]', "npm install x", "npm install --tag 'a b' x"),
    ],
)
def test_words_are_put_in_taken_out_and_replaced(session: Session, keys: str, command: str, wanted: str) -> None:
    session.user_rules(f'\n[[rule]]\nid = "npm.words"\nrun = "npm install"\nthen = "rewrite"\n{keys}\n')
    assert session.bash(command).input == {"command": wanted}


def test_a_rewritten_call_is_judged_by_every_rule(session: Session) -> None:
    session.user_rules(
        '\n[[rule]]\nid = "npm.pnpm"\nrun = "npm install"\nthen = "rewrite"\nreplace = { npm = "pnpm" }\n'
        '[[rule]]\nid = "pnpm.never"\nrun = "pnpm install"\nthen = "deny"\nsay = "Not here."\n'
    )
    assert session.bash("npm install").kind == "deny"


def test_two_rewrites_that_undo_each_other_are_refused(session: Session) -> None:
    session.user_rules(
        '\n[[rule]]\nid = "a.b"\nrun = "npm install"\nthen = "rewrite"\nreplace = { npm = "pnpm" }\n'
        '[[rule]]\nid = "b.a"\nrun = "pnpm install"\nthen = "rewrite"\nreplace = { pnpm = "npm" }\n'
    )
    found = session.bash("npm install")
    assert found.kind == "deny"
    assert "keep rewriting each other" in found.reason


def test_a_path_behind_a_link_is_the_file_that_it_leads_to(session: Session) -> None:
    session.rules('[[rule]]\nid = "lock.hand"\nedit = "package-lock.json"\nthen = "deny"\nsay = "No."\n')
    project = session.setting.project
    (project / "package-lock.json").write_text("{}")
    (project / "notes.txt").symlink_to("package-lock.json")
    assert session.edit("notes.txt").kind == "deny"
    assert session.bash("echo x > notes.txt").kind == "deny"
    (project / "fix.patch").write_text("--- a/package-lock.json\n+++ b/package-lock.json\n@@ -1 +1 @@\n-{}\n+x\n")
    assert session.bash("git apply fix.patch").kind == "deny"


def test_the_branch_is_the_one_of_the_folder_where_git_works(session: Session) -> None:
    session.rules('[[rule]]\nid = "push.main"\nrun = "git push"\nbranch = "main"\nthen = "deny"\nsay = "No."\n')
    for name, branch in ((".", "main"), ("other", "feature")):
        folder = session.setting.project / name / ".git"
        folder.mkdir(parents=True)
        (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        for part in ("objects", "refs"):
            (folder / part).mkdir()
    assert session.bash("git push").kind == "deny"
    assert session.bash("git -C other push").kind == "none"
    assert session.bash("cd other && git push").kind == "none"
    assert session.bash("git push", cwd=str(session.setting.project / "other")).kind == "none"


def test_a_rule_that_cannot_look_is_a_question(session: Session) -> None:
    session.rules('[[rule]]\nid = "big.text"\nedit = "**"\ncontent = "x+y"\nthen = "deny"\nsay = "No."\n')
    given = {"file_path": str(session.setting.project / "a"), "content": "a" * (5 << 20)}
    found = session.tell(tool_name="Write", tool_input=given)
    assert (found.kind, found.by) == ("ask", "big.text")


def test_examples_that_fail_are_told_at_the_start_of_a_session_and_the_rule_holds(session: Session) -> None:
    session.rules(PUBLISH + 'passes = ["npm publish"]\n')
    told = session.tell("SessionStart", source="startup").messages
    assert any(
        "rule 1 `npm.publish`: `passes`: example 1 (`npm publish`) is stopped by this rule" in one for one in told
    )
    assert session.bash("npm publish").kind == "deny"


def test_a_file_that_nobody_can_read_disturbs_no_call(session: Session) -> None:
    for text in ("\x00" * 100, "[[rule]]\n" * 5000, "rule = " + "[" * 5000, '[[rule]]\nid = "a.b"\nthen = "deny"\n'):
        session.rules(text)
        assert session.bash("npm publish").kind == "none"
        assert any("rules.toml" in one for one in session.tell("SessionStart", source="startup").messages)


def test_a_huge_file_is_named_and_the_rest_runs(session: Session) -> None:
    session.rules(PUBLISH * 100_000)
    session.user_rules(PUBLISH)
    assert session.bash("npm publish").kind == "deny"
    assert any("rules.toml" in one for one in session.tell("SessionStart", source="startup").messages)


NESTED = '[[rule]]\nid = "web.build"\nrun = "npm build"\nthen = "deny"\nsay = "Inner."\n'


@pytest.mark.parametrize("marker", [".claude", ".git", ".synaptic", "plain"])
def test_no_folder_below_takes_the_rules_above_away(session: Session, marker: str) -> None:
    """A `.claude` folder, or a `git init`, in a package made a project of its own, without the repository's policy."""
    session.rules(PUBLISH)
    package = session.setting.project / "packages" / "api"
    (package / marker).mkdir(parents=True)
    found = session.bash("npm publish", cwd=str(package))
    assert (found.kind, found.by) == ("deny", "npm.publish")


def test_rules_of_all_folders_add_up_and_paths_start_in_their_own(session: Session) -> None:
    session.rules(PUBLISH + '[[rule]]\nid = "api.src"\nedit = "packages/api/src/**"\nthen = "deny"\nsay = "Outer."\n')
    session.rules(
        NESTED + '[[rule]]\nid = "src.inner"\nedit = "src/x"\nthen = "deny"\nsay = "Inner."\n', "packages/api"
    )
    package = session.setting.project / "packages" / "api"
    cwd = str(package)
    assert session.bash("npm build", cwd=cwd).by == "web.build"
    assert session.bash("npm publish", cwd=cwd).by == "npm.publish"
    assert session.bash("npm build").kind == "none"
    assert session.edit("packages/api/src/a", cwd=cwd).by == "api.src"
    assert session.edit("packages/api/src/x", cwd=cwd).kind == "deny"
    assert session.edit("src/x", cwd=cwd).kind == "none"


def test_settings_and_hooks_of_all_folders_add_up(session: Session) -> None:
    session.setting.config('trust = "all"\npresets = []\n')
    (session.setting.project / ".synaptic" / "config.toml").write_text('presets = ["essentials"]\n')
    session.setting.register("outer", "exit 0")
    package = session.setting.project / "packages" / "api"
    (package / ".claude").mkdir(parents=True)
    assert session.bash("rm -rf ~", cwd=str(package)).kind == "deny"
    session.bash("ls", cwd=str(package))
    assert session.setting.order == ["outer"]


def test_a_home_above_the_project_is_none(setting: Setting, tmp_path: Path) -> None:
    """What lies in HOME is the user's own, and no project's."""
    session = Session(setting)
    (setting.user / ".synaptic" / "rules.toml").write_text(PUBLISH)
    project = setting.user / "work" / "shop"
    (project / ".git").mkdir(parents=True)
    assert session.bash("npm publish", cwd=str(project)).kind == "none"


@pytest.mark.parametrize(
    "text", ["echo > .synaptic/rules.toml", "rm .synaptic/rules.toml", "git checkout .synaptic/rules.toml"]
)
def test_an_agent_asks_before_it_changes_rules(session: Session, text: str) -> None:
    session.setting.config('presets = ["essentials"]\n')
    session.rules(PUBLISH)
    assert session.bash(text).kind in ("ask", "deny")


def test_the_payload_of_a_rule_is_never_run(session: Session) -> None:
    mark = session.setting.project / "made"
    session.rules(f'[[rule]]\nid = "a.b"\nrun = "$(touch {mark})"\nthen = "deny"\nsay = "$(touch {mark})"\n')
    session.bash(json.dumps("npm publish"))
    assert not mark.exists()


def test_what_explains_an_event_names_rule_file_and_number(session: Session) -> None:
    session.rules(PUBLISH)
    found = session.bash("npm publish")
    story = EventStory(
        number=1, call="c", when="now", agent="claude", event="PreToolUse", subject="Bash", session="s1", root="/p",
        payload="", decision=found, answer=Answer(), micros=1,
    )  # fmt: skip
    told = "\n".join(explain_event(story))
    assert f"npm.publish [{session.setting.project}/.synaptic/rules.toml: rule 1]" in told


def test_a_rule_is_about_the_call_as_it_was_made_not_as_a_policy_rewrites_it(setting: Setting) -> None:
    session = Session(setting, '["essentials"]')
    session.rules(
        '[[rule]]\nid = "push.forced"\nrun = "git push"\nflags = ["--force", "-f"]\nthen = "deny"\n'
        'say = "Nobody forces here."\n'
    )
    decision = session.bash("git push -f origin topic")
    assert (decision.kind, decision.by) == ("deny", "push.forced")


def test_where_a_policy_asks_as_well_the_words_of_the_rule_are_told(setting: Setting) -> None:
    session = Session(setting, '["essentials"]')
    session.rules('[[rule]]\nid = "npm.publish"\nrun = "npm publish"\nthen = "ask"\nsay = "Is the tag signed?"\n')
    decision = session.bash("npm publish")
    assert decision.kind == "ask"
    assert "Is the tag signed?" in decision.reason


def test_a_policy_that_refuses_wins_over_a_rule_that_asks(setting: Setting) -> None:
    session = Session(setting, '["essentials"]')
    session.rules('[[rule]]\nid = "rm.any"\nrun = "rm"\nthen = "ask"\nsay = "Which one?"\n')
    assert session.bash("rm -rf ~").kind == "deny"
