#!/bin/sh
# Made by `make gen` from pyproject.toml: change docs/pages/recipes.py instead.
# Runs as root while the container is built; `_REMOTE_USER` is who will work in it.
set -eu
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "synaptic: Python 3.11 or newer is needed; add the python feature before this one" >&2
    exit 1
fi
wanted="synaptic-hooks"
if [ "${VERSION:-latest}" != "latest" ]; then wanted="synaptic-hooks==$VERSION"; fi
python3 -m venv /opt/synaptic
/opt/synaptic/bin/python -m pip install --disable-pip-version-check --no-cache-dir "$wanted"
ln -sf /opt/synaptic/bin/synaptic /usr/local/bin/synaptic
if [ "${UP:-true}" = "true" ]; then
    user="${_REMOTE_USER:-root}"
    if [ "$user" = "$(id -un)" ]; then synaptic bootstrap; else su "$user" -c "synaptic bootstrap"; fi
fi
