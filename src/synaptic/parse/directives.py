"""Directive files: what a folder tells whoever works in it."""

CORE = ("AGENTS", "INVARIANTS", "ARCHITECTURE", "COMMANDS")
SKILL = ("TESTING", "PITFALLS", "CONTRIBUTING", "TEMPLATE", "CHECKLIST")
UNSEARCHED = frozenset({"node_modules", ".git", "sessions", "tmp", "dist", "build", ".tasks", ".venv"})


def directive_names() -> tuple[str, ...]:
    """File names, the core ones first."""
    return tuple(f"{name}.md" for name in CORE + SKILL)


def is_searched(path: str) -> bool:
    """Whether a folder, relative to its project, can hold directives: built and fetched things cannot."""
    return UNSEARCHED.isdisjoint(path.split("/"))
