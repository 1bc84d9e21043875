"""`synaptic up --ci`: in a job that nobody watches. No questions, no HOME, nothing written outside one folder."""

import os
import shlex
import tempfile
from pathlib import Path

from synaptic.cli import screen
from synaptic.cli.place import CommandPlace, find_place
from synaptic.model.errors import SynapticError
from synaptic.setup.options import SetupOptions

CLAUDE_FOLDER = "claude"
"""Where the agent's settings are, in our own folder, unless the job says where the agent looks for them."""


def find_job_place() -> CommandPlace:
    """The folder that SYNAPTIC_HOME names, or a new one among temporary files; the checkout is only looked at."""
    if not os.environ.get("SYNAPTIC_HOME", "").startswith("/"):
        os.environ["SYNAPTIC_HOME"] = _make_folder()
    return find_place()


def read_job_installation(place: CommandPlace) -> SetupOptions:
    """Everything below the one folder: no profile, no project, no user's settings."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return SetupOptions(
        home=place.home,
        user_home=place.home.root,
        claude_dir=Path(chosen).absolute() if chosen else place.home.root / CLAUDE_FOLDER,
        search_path=os.environ.get("PATH", ""),
        has_profile=False,
    )


def print_variables(options: SetupOptions) -> None:
    """Print what the steps after this one need."""
    screen.say("\nFor the steps after this one:")
    screen.say_exactly(f"  export SYNAPTIC_HOME={shlex.quote(str(options.home.root))}")
    if options.claude_dir and not os.environ.get("CLAUDE_CONFIG_DIR"):
        screen.say_exactly(f"  export CLAUDE_CONFIG_DIR={shlex.quote(str(options.claude_dir))}")
    screen.say_exactly(f'  export PATH={shlex.quote(str(options.home.bin))}:"$PATH"')


def _make_folder() -> str:
    try:
        return tempfile.mkdtemp(prefix="synaptic-")
    except OSError as error:
        raise SynapticError(
            f"no folder for temporary files can be written ({error.strerror or error})",
            hint="set SYNAPTIC_HOME to a folder that can be written",
        ) from error
