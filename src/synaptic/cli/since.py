"""Times as people type them: `7d`, `yesterday`, `2026-11-02`, `2026-11-02 14:30`."""

import re
import time
from datetime import datetime, timedelta

from synaptic.cli import typer

AGO = re.compile(r"(\d{1,6})\s*([smhdw])")
UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def read_time(text: str, option: str) -> float:
    """Seconds since the epoch. Raises BadParameter for words that are no time."""
    said = text.strip().lower()
    if found := AGO.fullmatch(said):
        return time.time() - int(found[1]) * UNIT_SECONDS[found[2]]
    midnight = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if said in ("today", "yesterday"):
        return (midnight - timedelta(days=said == "yesterday")).timestamp()
    if said == "now":
        return time.time()
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter(
            f"{option}: `{text}` is no time: 30m, 24h, 7d, 2w, yesterday, 2026-11-02 or 2026-11-02T14:30"
        ) from None
