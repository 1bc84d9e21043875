"""A user whose registry has packages in it, made with the author's own verbs."""

from tests.packages.authoring import write_package

SCRIPT = "#!/bin/sh\necho '{name} {version}' >> \"$SYNAPTIC_ROOT/logs/ran\"\n"
HOOK = """
[[hooks]]
event = "PreToolUse"
matcher = "Bash"
script = "hooks/pre.sh"
priority = {priority}
blocking = true
"""


def publish(user, name, version="1.0.0", priority=20, files=None, more="", channels=("develop", "main")):
    """One version of a package on its channels."""
    files = files or {"hooks/pre.sh": SCRIPT.format(name=name, version=version), "README.md": f"# {name} {version}\n"}
    folder = user.folder / "authored" / name
    write_package(folder, name, version, files, HOOK.format(priority=priority) + more, f"The {name} package.")
    assert user.types("registry", "init", "--if-missing").code == 0
    done = user.types("package", "import", str(folder))
    assert done.code == 0, done.err
    for channel in channels[1:]:
        done = user.types("package", "promote", name, "--from", "develop", "--to", channel)
        assert done.code == 0, done.err
