"""The worker process of Python hooks: imports one file once, then answers each line of JSON with one.

Run as a script, isolated, with the file as its argument; it imports nothing of ours. The function's own stdin is
empty and its prints go to stderr, so nothing it does can corrupt the pipe.
"""

import hashlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any


def main() -> None:
    """Serve until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is wanted, not a path
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    module: ModuleType | None = None
    for line in requests:
        request = json.loads(line)
        try:
            if module is None:
                content = read_accepted(sys.argv[1], request.get("accepted"))
                module = load_module(sys.argv[1], content, request.get("compiled")) if content is not None else None
            answer = call_function(module, request) if module is not None else {"changed": True}
        except BaseException as error:  # noqa: BLE001 - foreign code; also its sys.exit must not end the worker
            answer = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-4000:]}
        answers.write(encode_answer(answer) + b"\n")
        answers.flush()


def read_accepted(file: str, accepted: list[str] | None) -> bytes | None:
    """Read the file once: what is compared is what runs. None when it is not what may run."""
    content = Path(file).read_bytes()
    return content if accepted is None or hashlib.sha256(content).hexdigest() in accepted else None


def load_module(file: str, content: bytes, compiled: str | None = None) -> ModuleType:
    """Make a module of the file's content, with its folder on sys.path as if it were run as a script."""
    sys.path.insert(0, str(Path(file).parent))
    # Compiled files beside the sources may be anything: those of other modules are kept elsewhere.
    sys.pycache_prefix = compiled or sys.pycache_prefix
    spec = importlib.util.spec_from_file_location("synaptic_hook", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Before it runs: dataclasses and pickle look their module up in sys.modules.
    sys.modules[spec.name] = module
    exec(compile(content, file, "exec"), module.__dict__)
    return module


def call_function(module: ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    """Call the function once, with the variables a script would have."""
    function = getattr(module, request["function"], None)
    if not callable(function):
        return {"missing": True}
    # A variable that this event does not have must not be left from the call before.
    for name in request["clear"]:
        os.environ.pop(name, None)
    os.environ.update(request["variables"])
    return {"answer": function(request["event"])}


def encode_answer(answer: dict[str, Any]) -> bytes:
    """Encode an answer as compact JSON on one line."""
    try:
        return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"unreadable": str(error)}).encode()


if __name__ == "__main__":
    main()
