"""Fill in and look at templates in a process that is ended when one of them loops or grows without end."""

import os
import subprocess  # noqa: TID251  templates of others are read in a process of their own
from collections.abc import Sequence

import msgspec

from synaptic.model.refusal import Refusal
from synaptic.model.start_line import build_start_line
from synaptic.packages.render import TemplateAnswer, TemplateRequest
from synaptic.packages.rows import Bundle, PackageFile
from synaptic.packages.template import RenderedFile, TemplateFinding, TemplateValues, render_file

RENDER_SECONDS = 4
"""Seconds of CPU for all templates of a package, and one more for every fifty of them."""
RENDER_MEGABYTES = 768
PATIENCE = 15
"""Times as long by the clock: other programs want the CPU too."""


def render_files(files: Sequence[PackageFile], values: TemplateValues) -> list[RenderedFile]:
    """Render all files as they are installed. Raises Refusal for a forbidden, broken or endless template."""
    templates = [file for file in files if file.is_template]
    if not templates:
        return [render_file(file, values) for file in files]
    answers = _ask_process(TemplateRequest(files=tuple(templates), values=values), len(templates))
    done = [answer.rendered for answer in answers if answer.rendered]
    if len(done) < len(templates):
        raise _explain_end(answers, templates[len(done)].dest_path)
    filled = dict(zip((file.dest_path for file in templates), done, strict=True))
    return [filled[file.dest_path] if file.is_template else render_file(file, values) for file in files]


def lint_bundle(bundle: Bundle) -> tuple[TemplateFinding, ...]:
    """Find unknown variables, forbidden or broken templates, and questions whose answer nothing uses."""
    answers = _ask_process(TemplateRequest(bundle=bundle), len(bundle.files))
    if answers and answers[0].findings is not None:
        return answers[0].findings
    refusal = _explain_end(answers, bundle.package.name)
    return (TemplateFinding(refusal.where, refusal.message),)


def _ask_process(request: TemplateRequest, count: int) -> list[TemplateAnswer]:
    seconds = RENDER_SECONDS + count // 50
    command = (*build_start_line("synaptic.packages.render"), str(seconds), str(RENDER_MEGABYTES))
    # Nothing of the user's environment reaches it: a template has no business with it.
    env = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    text = msgspec.json.encode(request)
    try:
        done = subprocess.run(command, input=text, capture_output=True, timeout=PATIENCE * seconds, env=env)
    except subprocess.TimeoutExpired as error:
        return _decode_lines(error.stdout or b"")
    return _decode_lines(done.stdout)


def _decode_lines(text: bytes) -> list[TemplateAnswer]:
    # A line without its end comes from a process that was killed while writing.
    lines = text.split(b"\n")[:-1]
    return [msgspec.json.decode(line, type=TemplateAnswer) for line in lines]


def _explain_end(answers: Sequence[TemplateAnswer], where: str) -> Refusal:
    last = answers[-1] if answers else TemplateAnswer()
    limit = f"takes more than {RENDER_SECONDS} seconds or {RENDER_MEGABYTES} MiB to be filled in"
    return Refusal("validation_failed", last.problem or limit, where=last.where or where, hint="tell its author")
