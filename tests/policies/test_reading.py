"""What the guards share."""

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts, read_command, with_command
from synaptic.policies.reading import compile_hints, get_script, get_work_folders, runs_elsewhere, select_commands
from synaptic.shell.places import PathArea
from synaptic.shell.read.script import Script

FACTS = Facts(root="/home/u/project", home="/home/u")


def bash(command: str, cwd: str = "/home/u/project") -> PreToolUse:
    return PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": command}, cwd=cwd)


def asked(command: str, programs: frozenset[str] | None = None) -> Script | None:
    event = bash(command)
    return get_script(event, with_command(FACTS, event), programs)


def test_only_shell_calls_have_a_command():
    read = PreToolUse(hook_event_name="PreToolUse", tool_name="Read", tool_input={"file_path": "x", "command": "ls"})
    assert read_command(read, "/p", "/h") is None
    assert get_script(read, with_command(FACTS, read)) is None


def test_a_command_starts_where_the_event_happened_else_at_the_root():
    assert [
        command.cwd for command in (read_command(bash("ls", cwd), "/p", "/h") for cwd in ("/x", "")) if command
    ] == [
        "/x",
        "/p",
    ]


def test_a_guard_is_only_given_scripts_with_its_programs():
    assert asked("sudo RM x", frozenset({"rm"})) is not None
    assert asked("python3.11 x.py", frozenset({"python"})) is not None
    assert asked("echo rm", frozenset({"rm"})) is None


def test_programs_are_found_whatever_their_case():
    found = asked("RM a; rm b; mv c d")
    assert found is not None
    assert [command.args for command in select_commands(found, ("rm",))] == [("a",), ("b",)]


def test_other_machines_and_containers_are_elsewhere():
    found = asked("ssh host ls; docker exec c ls; ls")
    assert found is not None
    assert [runs_elsewhere(command) for command in found.commands if command.name == "ls"] == [True, True, False]


def test_the_machine_is_nobodys_project():
    for root in ("/", "/etc"):
        at = get_work_folders(bash("ls", root), Facts(root=root, home="/home/u"))
        assert at.classify("/etc/hosts") is PathArea.SYSTEM


def test_programs_of_several_names_come_in_the_order_of_the_script():
    found = asked("rm a; mv b c; RM d; mv e f")
    assert found is not None
    assert [command.args[0] for command in select_commands(found, ("mv", "rm"))] == ["a", "b", "d", "e"]


def test_a_pattern_of_hints_ignores_case_as_patterns_do():
    assert compile_hints(("secret",)).search("a/\u017fECRET.json")
    assert compile_hints(()).search("anything") is None
