"""Put a signed bundle into a git repository, where others fetch it from: one commit, never forced."""

import shutil
import tempfile
from pathlib import Path

from synaptic.hub.bundles.from_git import SIGNATURE_END, GitPlace, run_git
from synaptic.hub.wire import SignedBundle

AUTHOR = {
    "GIT_AUTHOR_NAME": "synaptic", "GIT_AUTHOR_EMAIL": "synaptic@localhost",
    "GIT_COMMITTER_NAME": "synaptic", "GIT_COMMITTER_EMAIL": "synaptic@localhost",
}  # fmt: skip


def publish_to_git(url: str, signed: SignedBundle, message: str) -> bool:
    """Commit and push; False where it is there already. Raises SynapticError."""
    place = GitPlace.parse(url)
    folder = Path(tempfile.mkdtemp(prefix="synaptic-bundle-"))
    try:
        return _publish(folder, place, signed, message)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _publish(folder: Path, place: GitPlace, signed: SignedBundle, message: str) -> bool:
    branch = place.branch or _find_head(place.remote)
    run_git(folder, "init", "--quiet", "--template=", ".")
    heads = run_git(folder, "ls-remote", "--heads", "--", place.remote, f"refs/heads/{branch}")
    run_git(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    if heads.strip():
        # Only the tip, and nothing of it is checked out but what is written here.
        run_git(folder, "fetch", "--quiet", "--depth=1", "--no-tags", "--", place.remote, f"refs/heads/{branch}")
        run_git(folder, "reset", "--quiet", "--soft", "FETCH_HEAD")
        run_git(folder, "read-tree", "FETCH_HEAD")
    for path, text in ((place.path, signed.text), (place.path + SIGNATURE_END, signed.signature)):
        blob = folder / "blob"
        blob.write_bytes(text.encode())
        name = run_git(folder, "hash-object", "-w", "--no-filters", "--", "blob").decode().strip()
        run_git(folder, "update-index", "--add", "--cacheinfo", f"100644,{name},{path}")
    tree = run_git(folder, "write-tree").decode().strip()
    if heads.strip() and run_git(folder, "rev-parse", "FETCH_HEAD^{tree}").decode().strip() == tree:
        return False
    parents = ("-p", "FETCH_HEAD") if heads.strip() else ()
    commit = run_git(folder, "commit-tree", tree, *parents, "-m", message, env=AUTHOR).decode().strip()
    run_git(folder, "push", "--quiet", "--no-verify", "--", place.remote, f"{commit}:refs/heads/{branch}")
    return True


def _find_head(remote: str) -> str:
    """The branch that the repository itself calls its head."""
    said = run_git(Path("/"), "ls-remote", "--symref", "--", remote, "HEAD").decode("utf-8", "replace")
    first = said.partition("\t")[0]
    return first.removeprefix("ref: refs/heads/") if first.startswith("ref: refs/heads/") else "main"
