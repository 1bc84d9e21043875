"""Run the tests that failed beside others once more, alone: `python -m tests.again`, after a whole run.

Most tests here start real daemons, shells and clients, two at a time on a small machine. A failure that is the code's
comes again when its test has the machine for itself; it stays red. What passes then is named, so nobody forgets it.
"""

import json
import subprocess
import sys
from pathlib import Path

LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")
FEW = 12


def main() -> int:
    """0 if the few tests that failed pass alone, 1 if one does not, or if too many failed to blame the company."""
    failed = list_failed_tests()
    if not failed or len(failed) > FEW:
        print(f"{len(failed)} tests failed: not run again (1 to {FEW} are)")
        return 1
    print(f"{len(failed)} failed beside others, now each alone:", *failed, sep="\n  ", flush=True)
    return int(bool(subprocess.call([sys.executable, "-m", "pytest", "-q", "-n", "0", *failed])))


def list_failed_tests() -> list[str]:
    """The tests that the last run of pytest left as failed."""
    if not LAST_FAILED.is_file():
        return []
    return sorted(json.loads(LAST_FAILED.read_text("utf-8")))


if __name__ == "__main__":
    sys.exit(main())
