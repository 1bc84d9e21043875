"""What a built file says about itself, compared with what is in it."""

import base64
import csv
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from hatch_build import PORTABLE_TAG, PROCESSORS, find_needs
from packaging.metadata import Metadata
from packaging.utils import parse_sdist_filename, parse_wheel_filename

DISPATCH = "synaptic/_native/dispatch"
SDIST_FILES = ("pyproject.toml", "hatch_build.py", "native/dispatch.c", "native/bare.h", "README.md", "LICENSE")
MOST_BYTES = 20 * 1024 * 1024


def find_problems(file: Path) -> list[str]:
    """Everything that keeps a file from being published; empty for a good one."""
    if file.stat().st_size > MOST_BYTES:
        return [f"larger than {MOST_BYTES} bytes"]
    return list(_inspect_wheel(file) if file.suffix == ".whl" else _inspect_sdist(file))


def find_processor(wheel: Path) -> str:
    """The processor that a wheel's name is for; "" for none of ours."""
    return next((one for one in PROCESSORS if wheel.stem.endswith(PORTABLE_TAG.format(one))), "")


def _inspect_wheel(file: Path) -> Iterator[str]:
    name, version, _, tags = parse_wheel_filename(file.name)
    with zipfile.ZipFile(file) as wheel:
        about = f"{file.name.split('-')[0]}-{version}.dist-info"
        yield from _inspect_metadata(wheel.read(f"{about}/METADATA"), f"{name} {version}")
        lines = wheel.read(f"{about}/WHEEL").decode().splitlines()
        told = {line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")}
        if told != {str(tag) for tag in tags}:
            yield f"its name says {sorted(map(str, tags))}, its WHEEL file {sorted(told)}"
        yield from _inspect_dispatch(wheel, find_processor(file))
        yield from _inspect_record(wheel, f"{about}/RECORD")
        if f"{about}/licenses/LICENSE" not in wheel.namelist():
            yield "the licence is missing"


def _inspect_dispatch(wheel: zipfile.ZipFile, processor: str) -> Iterator[str]:
    if not processor:
        yield "its tag is not that of a program which needs no C library"
    elif DISPATCH not in wheel.namelist():
        yield "the dispatcher is missing"
    else:
        if not wheel.getinfo(DISPATCH).external_attr >> 16 & 0o111:
            yield "the dispatcher is not executable"
        if needs := find_needs(wheel.read(DISPATCH), processor):
            yield f"the dispatcher is not what the tag says: {needs}"


def _inspect_record(wheel: zipfile.ZipFile, record: str) -> Iterator[str]:
    rows = {row[0]: row[1] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
    for name in wheel.namelist():
        digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
        if name != record and rows.get(name) != f"sha256={digest}":
            yield f"{name} is not what RECORD says"


def _inspect_sdist(file: Path) -> Iterator[str]:
    name, version = parse_sdist_filename(file.name)
    with tarfile.open(file) as archive:
        top = file.name.removesuffix(".tar.gz")
        names = set(archive.getnames())
        yield from (f"{wanted} is missing" for wanted in SDIST_FILES if f"{top}/{wanted}" not in names)
        yield from (f"{one} is a built file" for one in names if one.endswith(DISPATCH))
        about = archive.extractfile(f"{top}/PKG-INFO")
        yield from _inspect_metadata(about.read() if about else b"", f"{name} {version}")


def _inspect_metadata(text: bytes, named: str) -> Iterator[str]:
    try:
        about = Metadata.from_email(text, validate=True)
    except ExceptionGroup as errors:
        yield from (f"metadata: {error}" for error in errors.exceptions)
        return
    if f"{about.name} {about.version}" != named:
        yield f"metadata is of {about.name} {about.version}"
    missing = [
        key for key in ("summary", "description", "requires_python", "license_expression") if not getattr(about, key)
    ]
    yield from (f"metadata has no {key}" for key in missing)
