"""Load a file with policies, in its worker, and find them in it."""

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from synaptic.sdk.neighbours import Accepted, open_neighbours, read_accepted
from synaptic.sdk.policy import Policy

MODULE_NAME = "synaptic_policy"


class PolicyFileError(Exception):
    """A file that cannot be used: where, and why."""


def load_policy_file(file: str, module: str, accepted: Accepted | None) -> dict[str, type[Policy]]:
    """The policies of a file by id, in the order in which they stand there. Raises PolicyFileError."""
    try:
        return collect_policies(_import_module(file, module, accepted))
    except PolicyFileError:
        raise
    except BaseException as error:  # foreign code; also its sys.exit
        raise PolicyFileError(describe_error(error, file)) from error


def collect_policies(module: ModuleType) -> dict[str, type[Policy]]:
    """The policies that a module defines itself. Raises PolicyFileError for two of one id."""
    found: dict[str, type[Policy]] = {}
    for value in vars(module).values():
        if not (isinstance(value, type) and issubclass(value, Policy) and value.__module__ == module.__name__):
            continue
        if not value.id or found.get(value.id) is value:
            continue
        if value.id in found:
            raise PolicyFileError(f"{module.__file__}:{find_line(value)}: {value.id} is there twice")
        found[value.id] = value
    return found


def find_line(policy: type[Policy]) -> int:
    """The line at which its judgement stands."""
    function = getattr(policy, "checks_with", policy.check)
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if code else 0


def describe_error(error: BaseException, file: str) -> str:
    """An error with the place in the file that led to it."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{file}:{error.lineno or 0}: {type(error).__name__}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"{file}:{lines[-1]}" if lines else file
    return f"{place}: {type(error).__name__}: {error}"


def _import_module(file: str, module: str, accepted: Accepted | None) -> ModuleType:
    if module:
        return importlib.import_module(module)
    content = Path(file).read_bytes() if accepted is None else read_accepted(file, accepted)
    open_neighbours(file, accepted)
    spec = importlib.util.spec_from_file_location(MODULE_NAME, file)
    if spec is None:
        raise PolicyFileError(f"{file}: is no Python file")
    made = importlib.util.module_from_spec(spec)
    # Before it runs: msgspec and dataclasses look their module up in sys.modules.
    sys.modules[MODULE_NAME] = made
    exec(compile(content, file, "exec"), made.__dict__)
    return made
