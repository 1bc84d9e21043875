"""`python -m tests.security.differentials`: run commands in three shells and compare what they did with the verdict."""

import argparse
import itertools
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.security.differentials.compose import Composed, iter_random, iter_single
from tests.security.differentials.sandbox import Run, Sandbox, find_missing

HERE = Path(__file__).parent
PROGRESS_EVERY = 200


def main() -> int:
    options = read_options()
    if missing := find_missing():
        print(f"the sandbox needs: {', '.join(missing)}", file=sys.stderr)
        return 2
    through, damaging, by_part = [], 0, Counter[str]()
    ends = time.monotonic() + options.minutes * 60
    with Sandbox() as sandbox:
        for number, one in enumerate(itertools.islice(choose(options), options.count or None), 1):
            run = sandbox.run(one.text)
            damaging += bool(run.damage)
            if run.is_through:
                through.append((one, run))
                by_part.update(one.made_of)
            if number % PROGRESS_EVERY == 0:
                print(f"{number} run, {damaging} did damage, {len(through)} through", file=sys.stderr)
            if time.monotonic() > ends:
                break
    for one, run in through:
        print(describe(one, run))
    print(f"{number} commands, {damaging} did damage in a shell, {len(through)} of these would have been allowed")
    for part, times in by_part.most_common(30):
        print(f"  {times:5} {part}")
    return int(bool(through))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.security.differentials", description=__doc__)
    parser.add_argument("kind", choices=("rows", "single", "random"), nargs="?", default="random")
    parser.add_argument("--count", type=int, default=0, help="how many commands; 0 is until the time is over")
    parser.add_argument("--minutes", type=float, default=5.0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1, help="the same seed composes the same commands")
    return parser.parse_args()


def choose(options: argparse.Namespace) -> Iterator[Composed]:
    """The written rows, each construction alone, or endless compositions."""
    if options.kind == "rows":
        return (Composed(text, "", (topic,)) for topic, text in iter_rows())
    return iter_single() if options.kind == "single" else iter_random(options.seed)


def iter_rows() -> Iterator[tuple[str, str]]:
    """The commands that are written down, with the file they stand in."""
    for file in sorted(HERE.glob("*.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8")).get("command", []):
            yield file.stem, row["text"]


def describe(one: Composed, run: Run) -> str:
    """A line a person can act on."""
    lost = ", ".join(f"{shell}: {'+'.join(what)}" for shell, what in run.damage.items())
    return f"{run.decision} [{' > '.join(one.made_of)}] {one.text!r} ({lost})"


if __name__ == "__main__":
    sys.exit(main())
