"""What the guards share."""

from hypothesis import example, given
from hypothesis import strategies as st

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.reading import any_of, elsewhere, named, places, reading, script
from synaptic.shell.paths import inside
from synaptic.shell.places import Place

FACTS = Facts(root="/home/u/project", home="/home/u")


def bash(command: str, cwd: str = "/home/u/project") -> PreToolUse:
    return PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": command}, cwd=cwd)


def test_a_command_is_understood_once_for_all_guards():
    assert reading(bash("ls -l"), FACTS) is reading(bash("ls -l"), FACTS)


def test_other_tools_have_no_script():
    read = PreToolUse(hook_event_name="PreToolUse", tool_name="Read", tool_input={"file_path": "x"})
    assert script(read, FACTS) is None


def test_a_guard_is_only_given_scripts_with_its_programs():
    assert script(bash("sudo RM x"), FACTS, frozenset({"rm"})) is not None
    assert script(bash("python3.11 x.py"), FACTS, frozenset({"python"})) is not None
    assert script(bash("echo rm"), FACTS, frozenset({"rm"})) is None


def test_programs_are_found_whatever_their_case():
    found = script(bash("RM a; rm b; mv c d"), FACTS)
    assert found is not None
    assert [command.args for command in named(found, ("rm",))] == [("a",), ("b",)]


def test_other_machines_and_containers_are_elsewhere():
    found = script(bash("ssh host ls; docker exec c ls; ls"), FACTS)
    assert found is not None
    assert [elsewhere(command) for command in found.commands if command.name == "ls"] == [True, True, False]


def test_the_machine_is_nobodys_project():
    for root in ("/", "/etc"):
        at = places(bash("ls", root), Facts(root=root, home="/home/u"))
        assert at.of("/etc/hosts") is Place.SYSTEM


def test_programs_of_several_names_come_in_the_order_of_the_script():
    found = script(bash("rm a; mv b c; RM d; mv e f"), FACTS)
    assert found is not None
    assert [command.args[0] for command in named(found, ("mv", "rm"))] == ["a", "b", "d", "e"]


def test_hints_are_found_in_words_files_and_folders_whatever_their_case():
    known = reading(bash("cat A.PEM < .Env; cd Secrets && ls"), FACTS)
    assert known is not None
    assert known.hinted((".pem", ".env", "secrets", "/home/u", "nothing")) == (".pem", ".env", "secrets", "/home/u")
    assert known.hinted(("/home/u",), known.words) == ()


def test_letters_that_a_pattern_takes_for_plain_ones_are_hints_too():
    known = reading(bash("cat \u017fecret.json \u212aey serv\u0131ce"), FACTS)
    assert known is not None
    assert known.hinted(("secret", "key", "service")) == ("secret", "key", "service")
    assert any_of(("secret",)).search("a/\u017fECRET.json")


WORDS = st.sampled_from((
    "a", "-o/etc/x", "-oa", "--output=/x", "--output=a", "of=/x", "~/x", "a~", "..", "a/../b", "a..b", "$HOME/x",
    "$X/y", "${PWD}/../x", "file:///x", "/dev/null", "/etc/x", "s/a/b/", "./a", "a*", "-", "--", "-t", "x" * 9000,
))  # fmt: skip
PROGRAMS = st.sampled_from(["touch", "cp", "mv -t", "dd", "sed -i", "curl", "rm -rf", "rsync", "tar", "cd", "echo >"])
LINES = st.lists(st.tuples(PROGRAMS, st.lists(WORDS, max_size=3).map(" ".join)).map(" ".join), max_size=4)


@given(LINES, st.sampled_from(["/home/u/project", "/home/u/project/sub", "/etc", "/home/u/project/../x"]))
@example(["curl -o/etc/x"], "/home/u/project")
def test_what_stays_in_a_folder_writes_nothing_elsewhere(lines: list[str], cwd: str):
    known = reading(bash("\n".join(["ls", *lines]), cwd), FACTS)
    assert known is not None
    if known.stays_in("/home/u/project"):
        elsewhere_written = [target.path for target in known.targets if not inside(target.path, ["/home/u/project"])]
        assert [path for path in elsewhere_written if path != "/dev/null"] == []


def test_a_word_that_is_too_long_is_left_out_and_said_to_be():
    known = reading(bash(f"cat {'a' * 9000} b"), FACTS)
    assert known is not None
    assert known.shortened
    assert known.words == "b"


def test_no_hints_are_found_nowhere():
    assert any_of(()).search("anything") is None
