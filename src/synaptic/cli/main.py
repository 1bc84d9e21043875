"""The command `synaptic`: finds the verb, runs it, and turns every error into one clear line."""

import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

from click.shell_completion import shell_complete

import synaptic
from synaptic.cli import screen, typer
from synaptic.cli.verbs import VerbGroup
from synaptic.model.errors import PersonError, SynapticError

USAGE_EXIT = 2
CHECK_USAGE_EXIT = 64
"""`check` says deny with 2, so a mistake in how it is called needs another number."""
FOR_PEOPLE_EXIT = 3
"""What was asked for is for people, and an agent has asked."""
INTERRUPTED_EXIT = 130
BROKEN_PIPE_EXIT = 141

GC_THRESHOLD = 50_000
NAMES = ("synaptic", "syn")
"""What the command is called; Debian has another program of the first name."""
app = typer.Typer(
    cls=VerbGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each verb has its own page: synaptic VERB --help",
)


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """The hook engine for coding agents: one entry per event, any number of hooks, in a known order."""
    if version:
        screen.say(f"synaptic {synaptic.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from synaptic.cli.status import print_overview  # noqa: PLC0415  for the one call without a verb

        print_overview()


def main() -> None:
    """The console script."""
    # What a start loads stays: looking through all of it for garbage, again and again, is a tenth of the start.
    gc.set_threshold(GC_THRESHOLD, 20, 100)
    called = os.path.basename(sys.argv[0])  # noqa: PTH119  pathlib costs a start more than the rest of this line
    sys.exit(run_command_line(sys.argv[1:], called if called in NAMES else NAMES[0]))


def run_command_line(arguments: Sequence[str], name: str = NAMES[0]) -> int:
    """Run one command line; what it returns is the exit code. This and the daemon's outermost handler catch all."""
    # Looked for in the words: an error may come before the options are parsed.
    wants_json = "--json" in arguments
    screen.prepare_streams(wants_json)
    try:
        code = _run_or_complete(arguments, name)
        # Here, where a closed pipe is caught: at exit the interpreter would complain about it.
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as ended:
        return ended.exit_code
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except typer.Abort:
        return INTERRUPTED_EXIT
    except KeyboardInterrupt:
        return INTERRUPTED_EXIT
    except BrokenPipeError:
        return _silence_stdout()
    except SynapticError as error:
        return _report_error(error, wants_json)
    except OSError as error:
        return _report_os_error(error, wants_json)
    except typer.ClickException as error:
        return _report_misuse(error, wants_json)
    except Exception as error:  # noqa: BLE001  the last catch: a person gets a line, the traceback goes to a file
        return _report_crash(error, wants_json)


def _run_or_complete(arguments: Sequence[str], name: str) -> object:
    """Run the command, or answer a shell that asks what may come next.

    Not by click's `main`: it writes a line of its own when somebody presses Ctrl-C.
    """
    command, variable = typer.get_command(app), f"_{name.upper()}_COMPLETE"
    if asked := os.environ.get(variable):
        return shell_complete(command, {}, name, variable, asked)
    with command.make_context(name, list(arguments)) as context:
        return command.invoke(context)


def _report_error(error: SynapticError, wants_json: bool) -> int:
    screen.print_error(error, wants_json)
    return FOR_PEOPLE_EXIT if isinstance(error, PersonError) else 1


def _report_os_error(error: OSError, wants_json: bool) -> int:
    """Report an OSError in one line if it names a file, else as a crash."""
    if not error.filename or not error.strerror:
        return _report_crash(error, wants_json)
    return _report_error(SynapticError(error.strerror, where=os.fsdecode(error.filename)), wants_json)


def _report_misuse(error: typer.ClickException, wants_json: bool) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else ""
    if wants_json:
        screen.print_error(SynapticError(error.format_message(), hint=f"type: {path} --help"), wants_json)
    else:
        told = io.StringIO()
        error.show(told)
        print(screen.fit_text(told.getvalue().rstrip("\n"), sys.stderr), file=sys.stderr)
    return CHECK_USAGE_EXIT if path.split()[1:2] == ["check"] else USAGE_EXIT


def _silence_stdout() -> int:
    """Redirect stdout to /dev/null after a broken pipe, so that flushing at exit raises no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return BROKEN_PIPE_EXIT


def _report_crash(error: Exception, wants_json: bool) -> int:
    if os.environ.get("SYNAPTIC_DEBUG") == "1":
        raise error
    import traceback  # noqa: PLC0415  reads sources: only a crash needs it

    place = screen.keep_crash("".join(traceback.format_exception(error)))
    what = f"unexpected {type(error).__name__}: {error}"
    hint = f"the traceback is in {place}" if place else "set SYNAPTIC_DEBUG=1 to see the traceback"
    screen.print_error(SynapticError(what, hint=hint), wants_json)
    return 1


if __name__ == "__main__":
    main()
