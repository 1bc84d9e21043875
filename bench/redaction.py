"""What redaction catches, what it damages and what it costs: `python -m bench.redaction`."""

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path

from bench.secret_samples import iter_harmless, iter_samples
from synaptic.store.redact import redact_bytes, redact_text

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"\[redacted:[a-z0-9-]+\]")
TYPICAL = json.dumps({
    "session_id": "0b9f2c4e-8a1d-4f3b-9c7e-5d2a1b6c8e4f", "cwd": "/home/dev/app", "hook_event_name": "PreToolUse",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-app/0b9f2c4e.jsonl", "permission_mode": "default",
    "tool_name": "Bash", "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
    "tool_input": {"command": "cd src && grep -rn 'def redact' --include=*.py . | head -20", "description": "Look"},
}).encode()  # fmt: skip
MEGABYTE = 1_000_000
CORPUS, CORPORA = ROOT / "tests" / "corpus", ("commands.jsonl", "examined.jsonl")


def measure_recall() -> tuple[int, int, list[str]]:
    """Shapes that are caught, all shapes, and the names of those that are not."""
    samples = list(iter_samples())
    missed = [sample.name for sample in samples if sample.secret in redact_text(sample.text)]
    return len(samples) - len(missed), len(samples), missed


def measure_damage(texts: Iterable[str]) -> tuple[int, int, list[str]]:
    """Words that are replaced, all words, and lines around the first of them."""
    damaged = words = 0
    shown: list[str] = []
    for text in texts:
        words += len(text.split())
        clean = redact_text(text)
        if clean != text:
            damaged += len(MARK.findall(clean)) - len(MARK.findall(text))
            shown += [clean[max(0, mark.start() - 60) : mark.end()].replace("\n", " ") for mark in MARK.finditer(clean)]
    return damaged, words, shown


def list_commands() -> list[str]:
    """Commands that people and agents have run."""
    rows = (json.loads(line) for name in CORPORA for line in (CORPUS / name).read_text().splitlines())
    return [text for row in rows if isinstance(text := row.get("cmd"), str)]


def list_sources() -> list[str]:
    """The program's own code, which speaks of passwords and holds none."""
    return [path.read_text() for path in sorted((ROOT / "src").rglob("*.py"))]


def measure_cost(data: bytes, rounds: int) -> float:
    """Microseconds, the best of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        redact_bytes(data)
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def main() -> None:
    caught, shapes, missed = measure_recall()
    print(f"shapes caught: {caught} of {shapes}" + (f"; missed: {', '.join(missed)}" if missed else ""))
    for name, texts in (
        ("look-alikes", [text for _, text in iter_harmless()]),
        ("real commands", list_commands()),
        ("source code", list_sources()),
    ):
        damaged, words, shown = measure_damage(texts)
        print(f"{name}: {damaged} of {words} words damaged, {1000 * damaged / max(words, 1):.2f} per 1,000")
        for line in shown[:8]:
            print(f"    {line}")
    code = json.dumps({"x": "\n".join(list_sources())[:MEGABYTE]}).encode()
    print(f"a payload of {len(TYPICAL)} bytes: {measure_cost(TYPICAL, 3000):.1f} us")
    print(f"a payload of 1 MB: {measure_cost(code, 5) / 1000:.1f} ms")


if __name__ == "__main__":
    main()
