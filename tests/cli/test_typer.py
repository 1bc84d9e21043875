"""Commands from signatures: options, arguments, lists, choices and defaults, as the verbs declare them."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from click.testing import CliRunner

from synaptic.cli import typer

Seen = dict[str, Any]


def make_app(seen: Seen) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def act(
        name: Annotated[str, typer.Argument(help="Whose.")],
        more: Annotated[list[str] | None, typer.Argument(help="Others.")] = None,
        count: Annotated[int, typer.Option("--count", "-n", min=1, max=9, help="How many.")] = 3,
        share: Annotated[float | None, typer.Option(min=0)] = None,
        tags: Annotated[list[str] | None, typer.Option("--tag")] = None,
        kind: Annotated[Literal["a", "b"] | None, typer.Option()] = None,
        file: Annotated[Path, typer.Option()] = Path("x"),
        is_loud: Annotated[bool, typer.Option("--loud")] = False,
        is_kept: Annotated[bool | None, typer.Option("--keep/--drop")] = None,
        plain: Annotated[bool, typer.Option()] = True,
    ) -> None:
        """Do it."""
        seen.update(locals())

    return app


def run(line: str) -> tuple[int, Seen, str]:
    seen: Seen = {}
    done = CliRunner().invoke(typer.get_command(make_app(seen)), line.split())
    return done.exit_code, {name: value for name, value in seen.items() if name != "seen"}, done.output


def test_defaults_are_those_of_the_signature():
    code, seen, _ = run("me")
    assert code == 0
    assert seen == {
        "name": "me", "more": None, "count": 3, "share": None, "tags": None, "kind": None, "file": Path("x"),
        "is_loud": False, "is_kept": None, "plain": True,
    }  # fmt: skip


def test_everything_is_given():
    line = "me you him -n 9 --share 0.5 --tag x --tag y --kind b --file /a --loud --drop --no-plain"
    code, seen, output = run(line)
    assert (code, output) == (0, "")
    assert (seen["more"], seen["tags"], seen["file"]) == (["you", "him"], ["x", "y"], Path("/a"))
    assert (seen["count"], seen["share"], seen["kind"]) == (9, 0.5, "b")
    assert (seen["is_loud"], seen["is_kept"], seen["plain"]) == (True, False, False)


@pytest.mark.parametrize("line", ["", "me -n 10", "me -n x", "me --share -1", "me --kind c", "me --tag", "me --no"])
def test_misuse_is_refused(line: str):
    code, seen, _ = run(line)
    assert (code, seen) == (2, {})


def test_help_names_arguments_options_and_defaults():
    _, _, shown = run("--help")
    assert "Do it." in shown
    assert "Arguments:\n  NAME       Whose.  [required]\n  [MORE]...  Others.\n" in shown
    assert "How many.  [default: 3;" in shown
    assert "--keep / --drop" in shown


def test_one_command_is_the_app_and_two_are_a_group():
    app = typer.Typer(help="Both.")
    app.command("first-word")(lambda: None)
    assert not hasattr(typer.get_command(app), "commands")
    app.command("second")(lambda: None)
    assert list(typer.get_command(app).commands) == ["first-word", "second"]  # type: ignore[attr-defined]
