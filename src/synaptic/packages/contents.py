"""What a package may hold, checked before anything of it is used: a registry may hold anything, not only imports."""

import re
from collections.abc import Iterator

from synaptic.hooks.declaration import check_matcher
from synaptic.model.errors import DeclarationError
from synaptic.model.refusal import Refusal
from synaptic.packages.hashes import find_corrupt
from synaptic.packages.paths import (
    check_package_name,
    check_package_path,
    check_version,
    locate_installed,
    refuse_collisions,
)
from synaptic.packages.rows import Bundle, Dep, HookRow

FILE_LIMIT = 16 << 20
TOTAL_LIMIT = 64 << 20
FILE_COUNT_LIMIT = 2000
PART_COUNT_LIMIT = 200
"""Hooks, dependencies, questions of one package, each."""
MATCHER_LIMIT = 256
REPEATED_GROUP = re.compile(r"\)[*+{]")
REPETITION = re.compile(r"[*+{]")
MAX_REPETITIONS = 4
TEXT_LIMIT = 4000
"""Characters of anything that is shown to the user."""


def check_bundle(bundle: Bundle) -> Bundle:
    """Return the bundle if its hashes match, its paths stay in its folder and its sizes are sane; raises Refusal."""
    name = bundle.package.name
    where = f"package {check_package_name(name)}"
    check_version(bundle.package.version)
    if bundle.package.id != name:
        raise Refusal("validation_failed", f"its id is `{bundle.package.id[:80]!a}`", where=where)
    if problem := next(_iter_size_problems(bundle), ""):
        raise Refusal("validation_failed", problem, where=where, hint="tell the owner of the registry")
    for file in bundle.files:
        check_package_path(file.dest_path)
    if bad := find_corrupt(bundle):
        hint = "the registry is damaged or somebody changed it; tell its owner"
        raise Refusal("validation_failed", f"{', '.join(bad)} does not match its hash", where=where, hint=hint)
    paths = [file.dest_path.removesuffix(".j2") if file.is_template else file.dest_path for file in bundle.files]
    kinds = (file.file_type for file in bundle.files)
    refuse_collisions((locate_installed(name, *one) for one in zip(kinds, paths, strict=True)), where)
    for hook in bundle.hooks:
        _check_hook(hook, paths, where)
    for dep in bundle.deps:
        _check_dep(dep, where)
    return bundle


def refuse_bulk(count: int, size: int, where: str) -> None:
    """Raise Refusal for files that are too many or too large together, before they are read."""
    if count > FILE_COUNT_LIMIT:
        raise Refusal("validation_failed", f"has {count} files; {FILE_COUNT_LIMIT} are the most", where=where)
    if size > TOTAL_LIMIT:
        raise Refusal("validation_failed", f"is larger than {TOTAL_LIMIT >> 20} MiB altogether", where=where)


def _iter_size_problems(bundle: Bundle) -> Iterator[str]:
    if len(bundle.files) > FILE_COUNT_LIMIT:
        yield f"has {len(bundle.files)} files; {FILE_COUNT_LIMIT} are the most"
    for file in bundle.files:
        if len(file.content) > FILE_LIMIT:
            yield f"{file.dest_path[:200]!a} is larger than {FILE_LIMIT >> 20} MiB"
    if sum(len(file.content) for file in bundle.files) > TOTAL_LIMIT:
        yield f"is larger than {TOTAL_LIMIT >> 20} MiB altogether"
    parts = {"hooks": bundle.hooks, "dependencies": bundle.deps, "questions": bundle.questions}
    for what, rows in parts.items():
        if len(rows) > PART_COUNT_LIMIT:
            yield f"has {len(rows)} {what}; {PART_COUNT_LIMIT} are the most"
    shown = (bundle.package.description, *(f"{one.prompt}{one.choices}{one.default_val}" for one in bundle.questions))
    if any(len(text) > 3 * TEXT_LIMIT for text in shown):
        yield f"has a description or question of more than {3 * TEXT_LIMIT} characters"


def _check_hook(hook: HookRow, paths: list[str], where: str) -> None:
    check_package_path(hook.script_path)
    if hook.script_path not in paths:
        raise Refusal("validation_failed", f"hook script {hook.script_path} is not among its files", where=where)
    for text in (hook.matcher, hook.event):
        # A second line would look like a line of the plan that the user agrees to.
        if len(text) > MATCHER_LIMIT or not text.isprintable():
            raise Refusal("validation_failed", f"the hook's `{text[:80]!a}` is no short line", where=where)
    # A package may go to all projects of a user, whose matchers are compared by `re`: none may backtrack there.
    if REPEATED_GROUP.search(hook.matcher) or len(REPETITION.findall(hook.matcher)) > MAX_REPETITIONS:
        hint = f"repeat no group, and use at most {MAX_REPETITIONS} of * + {{}}"
        problem = f"the matcher `{hook.matcher[:80]}` may take forever to compare"
        raise Refusal("validation_failed", problem, where=where, hint=hint)
    try:
        # As strict as for a project: nobody has looked at the package when its matcher is first tried.
        check_matcher(hook.matcher, where, "project")
    except DeclarationError as error:
        raise Refusal("validation_failed", error.message, where=where, hint=error.hint) from None


def _check_dep(dep: Dep, where: str) -> None:
    """What is shown is what runs: one line, without characters that hide or move what stands beside them."""
    for text, limit in ((dep.dep_name, 128), (dep.dep_spec, 128), (dep.install_cmd, 1024)):
        if len(text) > limit or not text.isprintable():
            raise Refusal("validation_failed", f"the dependency `{text[:80]!a}` is no line to show", where=where)
