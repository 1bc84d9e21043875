"""What `doctor` says about the bundle of an organisation; what is wrong with the one in force is a declaration's."""

from collections.abc import Iterator

from synaptic.hooks.bundle_seal import find_bundle, read_trouble
from synaptic.model.home import Home
from synaptic.setup.doctor import DoctorFinding


def check_bundle(home: Home) -> Iterator[DoctorFinding]:
    """Which is in force, and why the last one that came was refused."""
    kept = find_bundle(home).kept
    if kept and kept.text:
        managed = ", managed" if kept.is_managed else ""
        seen = f"{kept.name} {kept.version} is in force{managed} (synaptic bundle status)"
        yield DoctorFinding(check="bundle", state="ok", seen=seen)
    if trouble := read_trouble(home):
        seen = f"the last one that came was refused: {trouble.why}"
        yield DoctorFinding(check="bundle", state="warn", seen=seen, fix="synaptic bundle pull")
