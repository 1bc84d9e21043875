"""Process that reads and fills in a package's templates, under limits of time and memory.

Run with `-m`, isolated. The sandbox keeps a template from reaching anything; what it cannot keep it from is looping or
growing without end. So the kernel ends this process, and `rendering.py` tells which template it was about.
"""

import contextlib
import resource
import sys
from collections.abc import Iterable, Iterator

import msgspec

from synaptic.model.refusal import Refusal
from synaptic.packages.contents import TOTAL_LIMIT
from synaptic.packages.rows import Bundle, PackageFile
from synaptic.packages.template import RenderedFile, TemplateFinding, TemplateValues, lint_templates, render_file


class TemplateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Templates to fill in with values, or a bundle whose templates are looked at."""

    files: tuple[PackageFile, ...] = ()
    values: TemplateValues | None = None
    bundle: Bundle | None = None


class TemplateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the answer: a file, a problem that ends it, or what was found in a bundle."""

    rendered: RenderedFile | None = None
    problem: str = ""
    where: str = ""
    findings: tuple[TemplateFinding, ...] | None = None


def main(argv: list[str]) -> None:
    """Answer the one request on stdin, line by line."""
    seconds, megabytes = map(int, argv)
    _limit_process(seconds, megabytes)
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TemplateRequest)
    for answer in _iter_answers(request):
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def _limit_process(seconds: int, megabytes: int) -> None:
    limits = {"RLIMIT_CPU": seconds, "RLIMIT_AS": megabytes << 20, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0}
    for name, limit in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of memory; a lower one may stand already
            resource.setrlimit(getattr(resource, name), (limit, limit))


def _iter_answers(request: TemplateRequest) -> Iterator[TemplateAnswer]:
    try:
        if request.bundle is not None:
            yield TemplateAnswer(findings=lint_templates(request.bundle))
        elif request.values is not None:
            yield from _render_all(request.files, request.values)
    except Refusal as refusal:
        yield TemplateAnswer(problem=refusal.message, where=refusal.where)
    except MemoryError:
        yield TemplateAnswer(problem="needs too much memory to be filled in")
    except Exception as error:  # noqa: BLE001 - a template is foreign code: whatever it raises is its author's problem
        yield TemplateAnswer(problem=f"cannot be filled in: {type(error).__name__}: {str(error)[:200]}")


def _render_all(files: Iterable[PackageFile], values: TemplateValues) -> Iterator[TemplateAnswer]:
    total = 0
    for file in files:
        done = render_file(file, values)
        total += len(done.content)
        if total > TOTAL_LIMIT:
            problem = f"the templates grow over {TOTAL_LIMIT >> 20} MiB together"
            raise Refusal("validation_failed", problem, where=file.dest_path)
        yield TemplateAnswer(rendered=done)


if __name__ == "__main__":
    main(sys.argv[1:])
