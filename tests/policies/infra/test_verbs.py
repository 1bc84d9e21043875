"""How the words of a command are sorted before a form is held against them."""

import pytest

from synaptic.policies.infra.verbs import find_tool, is_dry_run, sort_line
from synaptic.shell.book.entries import find_program
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Command


def read(text: str) -> Command:
    return read_script(text, "/p", "/h").commands[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kubectl -n prod delete pod x --force", "delete pod x -n=prod --force"),
        ("kubectl delete ns x", "delete ns x"),
        ("az --subscription delete vm list", "vm list --subscription=delete"),
        ("gh issue create --title 'repo delete' -R a/b", "issue create --title -R=a/b"),
        ("terraform -chdir=infra destroy -auto-approve", "destroy -chdir=infra -auto-approve"),
        ("docker run -v a:b img volume rm x", "run"),
        ("railway run rm x", "run"),
        ("heroku apps:destroy -- x", "apps:destroy "),
        ("aws s3 rm 's3://a b' --recursive", "s3 rm s3://a_b --recursive"),
        ("terraform", ""),
    ],
)
def test_operands_come_first_and_options_keep_their_values(text: str, line: str):
    command = read(text)
    assert sort_line(find_program(command.name), command.argv[1:]) == line


def test_a_tool_is_found_behind_the_program_that_runs_it():
    known = {"twine", "manage.py", "prisma"}
    assert find_tool(read("python3 -m twine upload x"), known)[0] == "twine"
    assert find_tool(read("python app/manage.py flush"), known)[0] == "manage.py"
    assert find_tool(read("yarn prisma migrate reset"), known)[0] == "prisma"
    assert find_tool(read("cat manage.py"), known) == ("", ())
    assert find_tool(read("python"), known) == ("", ())


@pytest.mark.parametrize(
    "text", ["aws s3 rm x --dryrun", "kubectl delete x --dry-run=client", "cargo publish -n", "x help"]
)
def test_a_dry_run_is_known(text: str):
    assert is_dry_run(read(text))


@pytest.mark.parametrize("text", ["kubectl delete x --dry-run=none", "kubectl -n x delete pod y", "aws s3 rm x"])
def test_anything_else_is_none(text: str):
    assert not is_dry_run(read(text))
