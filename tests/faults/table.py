"""What a campaign has found, as a table and as lines by which it can be seen again."""

from dataclasses import dataclass, field

from tests.faults.kind import KINDS


@dataclass
class Tally:
    """One kind's numbers."""

    injected: int = 0
    calls: int = 0
    violations: int = 0
    crowded: int = 0
    """Calls that the machine had no time for."""
    left_out: int = 0
    seconds: float = 0.0


@dataclass
class Findings:
    """Everything that the epochs have told."""

    seed: int
    chosen: str = ""
    """How the kinds were chosen, as it was typed."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    violations: list[dict] = field(default_factory=list)
    crowded: list[int] = field(default_factory=list)
    """The steps of calls that no engine has judged in time, on a machine that was busy with other things."""
    seconds: float = 0.0

    def take(self, told: dict) -> None:
        """One line of an epoch."""
        if "violation" in told:
            self.violations.append(told)
            return
        if "crowded_out" in told:
            self.crowded.append(told["crowded_out"])
            return
        tally = self.tallies.setdefault(told["kind"], Tally())
        self.kinds[told["step"]] = told["kind"]
        if told.get("left_out"):
            tally.left_out += 1
            return
        tally.injected += 1
        tally.calls += told["calls"]
        tally.seconds += told["seconds"]

    def count(self) -> tuple[int, int]:
        return sum(one.injected for one in self.tallies.values()), sum(one.calls for one in self.tallies.values())

    def settle(self) -> None:
        """Count each violation and each excused call for the kind of its step, once everything was told."""
        for tally in self.tallies.values():
            tally.violations = tally.crowded = 0
        for one in self.violations:
            self._find_tally(one["step"]).violations += 1
        for step in self.crowded:
            self._find_tally(step).crowded += 1

    def _find_tally(self, step: int) -> Tally:
        return self.tallies.setdefault(self.kinds.get(step, "none"), Tally())


def format_progress(findings: Findings, count: int) -> str:
    injected, calls = findings.count()
    rate = findings.seconds * 1000 / calls if calls else 0
    return (
        f"{injected} of {count} faults, {calls} calls, {len(findings.violations)} violations, "
        f"{len(findings.crowded)} calls out of time on a busy machine, "
        f"{findings.seconds:.0f} s, {rate:.0f} ms a call"
    )


def format_table(findings: Findings) -> str:
    findings.settle()
    lines = ["| kind | what happens | injected | calls | out of time | violations |"]
    lines.append("| --- | --- | --: | --: | --: | --: |")
    for name, tally in sorted(findings.tallies.items()):
        note = KINDS[name].note if name in KINDS else ""
        injected = "left out" if tally.left_out and not tally.injected else str(tally.injected)
        lines.append(f"| {name} | {note} | {injected} | {tally.calls} | {tally.crowded} | {tally.violations} |")
    return "\n".join(lines) + "\n"


def format_violations(findings: Findings) -> str:
    """One line a violation, and the command that shows it again."""
    lines = []
    for one in findings.violations:
        kind = findings.kinds.get(one["step"], "none")
        again = (
            f"python -m tests.faults --seed {findings.seed}{findings.chosen} --only-step {one['step']} --with-earlier"
        )
        lines.append(f"- {kind}: {one['violation']}: {one['what']}\n  {again}")
    return "\n".join(lines) + ("\n" if lines else "")
