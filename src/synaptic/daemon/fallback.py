"""The engine for one call, in this process: what `dispatch` runs when there is no daemon to ask."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import synaptic
from synaptic.daemon import frame
from synaptic.daemon.refuse import refuse
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError, SynapticError
from synaptic.model.home import Home
