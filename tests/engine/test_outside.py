"""Policies from outside the program, through the engine: what they may do, and what becomes of those that misbehave."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.decision import Kind
from synaptic.runners.processes import find_marked
from synaptic.store import state
from synaptic.testing import EngineSession

HEAD = """
import os, sys, time
from pathlib import Path
from synaptic.sdk import *
"""
PUSHES = f'''{HEAD}
class Pushes(State):
    scope = "session"
    count: int = 0

@fact
def is_frozen(event, facts):
    return Path(facts.root, "FREEZE").exists()

class TooManyPushes(Policy):
    """More pushes than agreed."""
    id = "acme.too-many-pushes"
    events = (PreToolUse,)
    tools = ("Bash",)
    needs = ("git", is_frozen)
    remembers = (Pushes,)
    most: int = 2
    """Pushes of one session."""

    def check(self, event, facts):
        if "push" not in facts.command.git_verbs:
            return None
        if facts.read(is_frozen):
            return deny("the project is frozen")
        if facts.recall(Pushes).count >= self.most:
            return deny(f"that was push number {{self.most}} of {{facts.git.branch or 'nothing'}}")
        return record(add(Pushes, count=1))
'''


def simple(body: str, settings: str = "", head: str = HEAD) -> str:
    """A file with one policy, `acme.x`, of this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return (
        f'{head}\n@policy("acme.x", events=(PreToolUse,){settings})\ndef x(event, facts):\n    """About x."""\n{lines}'
    )


@pytest.fixture
def session(tmp_path: Path) -> Iterator[EngineSession]:
    made = EngineSession(tmp_path)
    yield made
    made.close()


def problem(session: EngineSession) -> str:
    (told,) = session.catalog().problems
    return told


def test_it_is_asked_with_facts_and_remembers(session: EngineSession):
    session.write("acme.py", PUSHES)
    session.check("ls").passed()
    session.check("git push").silent("acme.too-many-pushes")
    session.check("git push").silent("acme.too-many-pushes")
    session.check("cd src && git push").denied_by("acme.too-many-pushes").because("push number 2 of")
    session.start_session("another")
    session.check("git push").passed()
    (session.project / "FREEZE").touch()
    session.check("git push").denied_by("acme.too-many-pushes").because("frozen")


def test_its_sections_are_kept_signed_under_its_own_name(session: EngineSession):
    session.write("acme.py", PUSHES)
    session.check("git push")
    store = session.engine.store
    owner = state.SectionOwner(str(session.project), session.session)
    name = "session:policies/acme.too-many-pushes/Pushes"
    assert state.list_sections(store, owner)[name] is True
    assert state.read_state(store, owner, [name]).sections == {name: {"count": 1}}


def test_a_forged_section_is_not_believed(session: EngineSession):
    session.write("acme.py", PUSHES)
    session.check("git push")
    store = session.engine.store
    store.write(lambda connection: connection.execute("UPDATE state SET value = ? WHERE scope = 'session'", (b"{}",)))
    session.check("git push").passed()
    owner = state.SectionOwner(str(session.project), session.session)
    assert "session:policies/acme.too-many-pushes/Pushes" in state.list_sections(store, owner)


def test_options_come_from_config(tmp_path: Path):
    made = EngineSession(tmp_path, config='[policies."acme.too-many-pushes"]\nmost = 0\n')
    made.write("acme.py", PUSHES)
    made.check("git push").denied_by("acme.too-many-pushes").because("push number 0")
    made.home.config.write_text('[policies."acme.too-many-pushes"]\nmost = "many"\nmoest = 1\n')
    made.check("git push").passed()
    told = " ".join(made.catalog().problems)
    assert "most" in told and "the default counts" in told and "unknown option `moest`" in told
    made.close()


@pytest.mark.parametrize("preset", ["", "practice"])
def test_it_is_switched_by_its_name_and_by_its_preset(tmp_path: Path, preset: str):
    made = EngineSession(tmp_path)
    made.write("acme.py", simple('return deny("no")', f', preset="{preset}"'))
    assert (made.check("ls").decision.kind is Kind.DENY) == (not preset)
    made.home.config.write_text(
        f'presets = ["essentials", "practice"]\n[policies."acme.x"]\nenabled = {str(bool(preset)).lower()}\n'
    )
    assert (made.check("ls").decision.kind is Kind.DENY) == bool(preset)
    made.close()


def test_an_edited_file_counts_at_the_next_event(session: EngineSession):
    session.write("acme.py", simple('return deny("one")'))
    session.check("ls").denied_by("acme.x").because("one")
    session.write("acme.py", simple('return deny("two")'))
    session.check("ls -l").denied_by("acme.x").because("two")
    (session.policies / "acme.py").unlink()
    session.check("ls -a").passed()


def test_a_neighbour_is_imported_and_its_change_counts(session: EngineSession):
    session.write("_words.py", 'WHY = "one"\n')
    session.write("acme.py", simple("import _words\nreturn deny(_words.WHY)"))
    session.check("ls").denied_by("acme.x").because("one")
    session.write("_words.py", 'WHY = "two"\n')
    session.check("ls -l").denied_by("acme.x").because("two")


def test_it_rewrites_asks_advises_and_allows(session: EngineSession):
    session.write(
        "acme.py",
        simple(
            "text = event.tool_input['command']\n"
            "if text == 'one': return rewrite({**event.tool_input, 'command': 'two'}, 'two is better')\n"
            "if text == 'ask': return ask('sure?')\n"
            "if text == 'tell': return advise('by the way')\n"
            "return allow('fine') if text != 'two' else None"
        ),
    )
    assert session.check("one").rewritten_by("acme.x").input() == {"command": "two"}
    session.check("ask").asked_by("acme.x")
    session.check("tell").advised("by the way")
    session.check("ls").allowed_by("acme.x")


def test_prompts_results_and_ends_are_events_too(session: EngineSession):
    text = """
@policy("acme.prompt", events=(UserPromptSubmit,))
def prompt(event, facts):
    '''Prompts.'''
    return deny("not that") if "secret plan" in event.prompt else advise("mind the gap")

@policy("acme.after", events=(PostToolUse,), tools=("Bash",), needs=("git", "changed", "tests", "layers", "usage"))
def after(event, facts):
    '''Results.'''
    return deny("that was wrong") if "bad" in str(event.tool_response) else None

@policy("acme.end", events=(Stop,))
def end(event, facts):
    '''Ends.'''
    return None if event.stop_hook_active else deny("not yet")
"""
    session.write("acme.py", HEAD + text)
    session.send("UserPromptSubmit", prompt="the secret plan").denied_by("acme.prompt")
    session.send("UserPromptSubmit", prompt="hello").advised("mind the gap")
    ran = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert session.send("PostToolUse", **ran, tool_response="bad").decision.feedback == ("that was wrong",)
    session.send("PostToolUse", **ran, tool_response="fine").passed()
    session.send("Stop").advised("not yet")
    session.send("Stop", stop_hook_active=True).passed()


def test_a_tool_that_carries_a_command_is_one_for_shell_commands(session: EngineSession):
    session.write(
        "acme.py", simple('return deny("no") if "make" in facts.command.programs else None', ", tools=('Bash',)")
    )
    carried = {"tool_name": "mcp__shell__run", "tool_input": {"command": "cd x && make"}}
    session.send("PreToolUse", **carried).denied_by("acme.x")


def test_its_allow_lifts_no_refusal_and_no_question_of_ours(session: EngineSession):
    session.write("acme.py", simple('return allow("go on")', ", priority=1"))
    session.check("rm -rf ~").denied_by("files.recursive-deletion")
    asked = session.check("terraform destroy")
    assert asked.decision.kind is Kind.ASK
    assert not asked.decision.allowed


def test_its_rewrite_is_judged_by_ours(session: EngineSession):
    session.write("acme.py", simple("return rewrite({'command': 'rm -rf ~'}, 'shorter')", ", priority=99"))
    session.check("ls").denied_by("files.recursive-deletion")


def test_a_program_it_does_not_speak_of_does_not_wake_it(session: EngineSession):
    session.write("acme.py", simple('return deny("no")', ", speaks_of=frozenset({'git push', 'make'})"))
    session.check("git status").passed()
    session.check("sh -c 'git push'").denied_by("acme.x")
    session.check("make").denied_by("acme.x")


FAILURES = {
    "raises": ("raise ValueError('ouch')", "ValueError: ouch"),
    "exits": ("sys.exit(3)", "SystemExit: 3"),
    "dies": ("os._exit(3)", "its process failed"),
    "is killed": ("os.kill(os.getpid(), 9)", "its process failed"),
    "blocks for ever": ("time.sleep(600)", "within 1 s"),
    "loops for ever": ("while True: pass", "within 1 s"),
    "eats memory": ("x = [bytes(1 << 20) for _ in range(100_000)]", "MemoryError"),
    "returns a number": ("return 3", "check returned int"),
    "returns a verdict of nonsense": ("return Verdict(says='maybe')", "no opinion"),
    "returns a giant": ("return deny('x' * 3_000_000)", "more than 1024 KiB"),
    "writes a file": (
        "from synaptic.model.effect import WriteFile\nreturn record(WriteFile('/tmp/x', 'x'))",
        "WriteFile is an effect of built-in policies",
    ),
    "changes a section of ours": (
        "from synaptic.model.state import Change\n"
        "return record(Change(section='project:safemode', put={'active': False}))",
        "'project:safemode', which is no section of its own",
    ),
    "changes one of another policy": (
        "from synaptic.model.state import Change\n"
        "return record(Change(section='own:../acme.y/Count', put={'n': 1}, clear=True))",
        "no section of its own",
    ),
    "closes what is open": ("os.closerange(0, 100)", "its process failed"),
    "recurses": ("def f(): return f()\nreturn f()", "RecursionError"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_loud_and_the_act_goes_on(session: EngineSession, name: str):
    body, text = FAILURES[name]
    first = "if event.tool_input['command'] != 'bad': return deny('next')\n"
    # A second only where it has to pass: a new worker on a busy machine may take longer to load its file.
    session.write("acme.py", simple(first + body, f", timeout={1.0 if 'for ever' in name else 10.0}"))
    session.check("ls").denied_by("acme.x")  # it is loaded now: the time for its answer is its own
    outcome = session.check("bad")
    assert outcome.decision.kind is Kind.NONE
    (told,) = outcome.warnings
    assert "acme.x" in told and text in told and "went on without it" in told
    session.check("ls -l").denied_by("acme.x").because("next")


def test_a_guard_that_says_so_denies_when_it_fails(session: EngineSession):
    session.write("acme.py", simple("raise ValueError('ouch')", ', priority=25, on_error="deny"'))
    session.check("ls").denied_by("acme.x").because("set to deny on error")


def test_what_it_prints_and_reads_is_its_own(session: EngineSession):
    body = 'print("x" * 200_000)\nos.write(1, b"{}\\n")\nsys.stdout.flush()\nsys.stdin.read()\nreturn deny("said")'
    session.write("acme.py", simple(body))
    for command in ("ls", "ls -l", "ls -a"):
        session.check(command).denied_by("acme.x").because("said")


def test_a_child_that_it_forks_answers_nothing(session: EngineSession):
    session.write("acme.py", simple("pid = os.fork()\nreturn deny('child' if pid == 0 else 'parent')"))
    for number in range(5):
        session.check(f"ls {number}").denied_by("acme.x").because("parent")


@pytest.mark.parametrize(
    "line", ['{"number": 1}', "garbage", "[" * 5000, '{"number": 999999, "answer": {"says": "allow"}}']
)
def test_what_it_writes_where_answers_go_is_none_of_them(session: EngineSession, line: str):
    body = (
        "if event.tool_input['command'] == 'bad':\n"
        "    for number in range(3, 20):\n"
        "        try: os.write(number, LINE)\n"
        "        except OSError: pass\n"
        "return deny('no')"
    )
    session.write("acme.py", simple(body, head=f"{HEAD}\nLINE = {line.encode() + bytes([10])!r}\n"))
    session.check("ls").denied_by("acme.x")
    outcome = session.check("bad")
    assert outcome.decision.kind is Kind.DENY or outcome.warnings
    assert outcome.decision.kind is not Kind.ALLOW
    for number in range(3):
        session.check(f"ls {number}").denied_by("acme.x"), "no later call gets what was left"


def test_an_agent_ends_no_process_of_a_policy(session: EngineSession):
    session.write("acme.py", simple("return advise(str(os.getpid()))"))
    (pid,) = session.check("ls").decision.context
    session.check(f"kill -9 {pid}").denied_by("self.daemon")


def test_processes_that_it_starts_end_with_it(session: EngineSession):
    note = session.project / "pid"
    body = (
        f"import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
        f"Path({str(note)!r}).write_text(f\"{{child.pid}} {{os.environ['SYNAPTIC_RUN']}}\")\ntime.sleep(600)"
    )
    session.write("acme.py", simple(body, ", timeout=2.0"))
    session.check("ls")
    pid, mark = note.read_text().split()
    assert int(pid) not in find_marked(mark)


def test_a_worker_that_is_killed_between_two_calls_is_replaced(session: EngineSession):
    session.write("acme.py", simple("return deny(str(os.getpid()))"))
    pid = int(session.check("ls").decision.reason.split()[0])
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    assert int(session.check("ls -l").denied_by("acme.x").decision.reason.split()[0]) != pid


def test_half_a_character_reaches_it(session: EngineSession):
    session.write("acme.py", simple("return deny(repr(len(event.tool_input['command'])))"))
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "echo \ud800"}}
    session.replay(payload).denied_by("acme.x")


def test_a_state_that_is_too_large_is_refused(session: EngineSession):
    body = "return record(keep(Notes(text='x' * int(event.tool_input['command'].split()[1]))))"
    head = f'{HEAD}\nclass Notes(State):\n    text: str = ""\n'
    session.write("acme.py", simple(body, ", remembers=(Notes,)", head))
    session.check("echo 1000").passed()
    (told,) = session.check("echo 100000").warnings
    assert "Notes would be over 64 KiB" in told


def test_a_section_of_another_shape_is_as_before_anything_happened(session: EngineSession):
    def text(kind: str, first: str) -> str:
        head = f"{HEAD}\nclass Notes(State):\n    seen: {kind} = {first}\n"
        return simple(
            f"return advise(repr(facts.recall(Notes)), keep(Notes(seen={first})))", ", remembers=(Notes,)", head
        )

    session.write("acme.py", text("str", "'a'"))
    session.check("ls")
    session.check("ls -l").advised("seen='a'")
    session.write("acme.py", text("tuple[int, ...]", "(1,)"))
    session.check("ls -a").advised("seen=(1,)")


def test_files_that_cannot_be_loaded_name_their_line(session: EngineSession):
    file = session.write("acme.py", "x = 1\ndef broken(:\n")
    assert session.check("ls").warnings == (problem(session),)
    assert problem(session).startswith(f"{file}:2: SyntaxError: ")
    session.write("acme.py", f"{HEAD}\nimport nothing_of_this_name\n")
    assert "acme.py:6: ModuleNotFoundError" in problem(session)
    session.write("acme.py", f"{HEAD}\nsys.exit(0)\n")
    assert "acme.py:6: SystemExit" in problem(session)
    session.write("acme.py", f'{HEAD}\n@policy("nodots", events=(PreToolUse,))\ndef x(event, facts):\n    """X."""\n')
    assert "id 'nodots' must look like" in problem(session)
    session.write("acme.py", simple("return None").replace('"""About x."""', "pass"))
    assert "it has no docstring" in problem(session)
    session.write(
        "acme.py", f"{HEAD}\nclass Notes(State):\n    text: str\n" + simple("return None", ", remembers=(Notes,)")
    )
    assert "acme.x" in problem(session)


def test_files_that_import_each_other_are_told_or_work(session: EngineSession):
    session.write("acme.py", f"{HEAD}\nimport beta\n" + simple("return deny('a')", head=""))
    session.write("beta.py", "import acme\n")
    session.check("ls").denied_by("acme.x")
    session.write("beta.py", "from acme import nothing\n")
    assert all("ImportError" in told for told in session.catalog().problems)


def test_a_file_that_hangs_when_it_is_loaded_is_disabled_and_the_others_work(
    session: EngineSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("synaptic.engine.outside.DESCRIBE_SECONDS", 2.0)
    session.write("slow.py", "while True: pass\n")
    session.write("acme.py", simple("return deny('no')"))
    session.check("ls").denied_by("acme.x")
    assert "slow.py: gave no answer within 2 s and was stopped; it was never loaded before" in problem(session)
    started = time.monotonic()
    session.check("ls -l").denied_by("acme.x")
    assert time.monotonic() - started < 1, "it is not asked again with every event"


@pytest.mark.parametrize("kind", ["fifo", "zero", "folder", "huge"])
def test_what_is_no_file_of_code_is_not_opened(session: EngineSession, kind: str):
    path = session.policies / "acme.py"
    make = {
        "fifo": lambda: os.mkfifo(path),
        "zero": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
        "huge": lambda: path.write_bytes(b"#" * (1 << 20)),
    }
    make[kind]()
    started = time.monotonic()
    assert session.check("ls").warnings == (problem(session),)
    assert time.monotonic() - started < 5
    assert "acme.py" in problem(session) and "no policy of this file runs" in problem(session)


def test_a_thousand_policies_in_a_file_are_cut(session: EngineSession):
    loop = (
        "for number in range(1000):\n"
        "    globals()[f'p{number}'] = policy(f'acme.p{number}', events=(Stop,))(make(number))\n"
    )
    session.write(
        "acme.py",
        f'{HEAD}\ndef make(number):\n    def check(event, facts):\n        """X."""\n    return check\n{loop}',
    )
    session.check("ls").passed()
    assert "holds 1000 policies; only the first 100 count" in problem(session)
    assert len([hook for hook in session.catalog().hooks if hook.id.startswith("acme.p")]) == 100


def test_two_files_with_one_id_and_one_id_twice(session: EngineSession):
    session.write("a.py", simple("return deny('first')"))
    session.write("b.py", simple("return deny('second')"))
    session.check("ls").denied_by("acme.x").because("first")
    assert "b.py:" in problem(session) and "has a policy of that id already; it is disabled" in problem(session)
    (session.policies / "b.py").unlink()
    session.write("a.py", simple("return None") + simple("return None", head="").replace("def x", "def y"))
    assert "acme.x is there twice" in problem(session)


@pytest.mark.parametrize("id", ["git.force-push", "paths.mine", "self.engine-files", "sane.x"])
def test_an_id_of_ours_is_not_to_be_had(session: EngineSession, id: str):
    session.write("acme.py", simple("return allow('mine')").replace('"acme.x"', f'"{id}"'))
    assert "are built in; it is disabled" in problem(session)
    session.check("git push --force origin main").denied_by("git.force-push")


def test_facts_and_events_that_are_not_there(session: EngineSession):
    session.write("acme.py", simple("return None", ", needs=('gti', 'project:safemode')"))
    assert "needs what is no fact: gti, project:safemode" in problem(session)


def test_what_was_told_is_kept_for_the_next_process(session: EngineSession, tmp_path: Path):
    session.write("acme.py", simple("return deny('no')"))
    session.catalog()
    (kept,) = (session.home.run / "policies").iterdir()
    assert [one["id"] for one in json.loads(kept.read_text())["policies"]] == ["acme.x"]
    again = EngineSession(tmp_path)
    kept.write_text(kept.read_text().replace("acme.x", "acme.y"))
    assert [entry.policy.id for entry in again.catalog().outside] == ["acme.y"], "nobody was asked again"
    kept.write_text("{")
    third = EngineSession(tmp_path)
    assert [entry.policy.id for entry in third.catalog().outside] == ["acme.x"]
    again.close()
    third.close()


def test_a_hook_of_the_registry_cannot_take_its_name(session: EngineSession):
    session.write("acme.py", simple("return deny('no')"))
    (session.home.root / "hooks").mkdir()
    entry = '[[hook]]\nid = "acme.x"\nevent = "PreToolUse"\ncommand = "true"\nblocking = true\n'
    session.home.registry.write_text(entry)
    session.check("ls").denied_by("acme.x")
    assert [hook.id for hook in session.catalog().hooks if hook.id.startswith("acme.x")] == ["acme.x", "acme.x#2"]
