"""A bundle tried on journals: what happened there is decided again with it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from synaptic.cli import screen
from synaptic.cli.filters import read_option_moment
from synaptic.cli.place import open_journal
from synaptic.cli.replay import FOREVER, ReplayProgress, print_summary
from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts
from synaptic.model.home import Home
from synaptic.store.past_events import iter_past_events
from synaptic.work.replay import ReplaySummary, replay_events, summary_to_json


class BundleTrial(msgspec.Struct, frozen=True):
    """What is tried, and how."""

    text: str
    since: str
    is_managed: bool
    samples: int

    def run(self, homes: Sequence[str]) -> tuple[ReplaySummary, CatalogChange]:
        """All journals together. Raises StoreError where one is none."""
        change = CatalogChange(bundle=self.text, is_managed=self.is_managed)
        summary, show = ReplaySummary(), ReplayProgress()
        times = (read_option_moment(self.since, "--since"), FOREVER)
        for home in homes:
            with open_journal(Home(Path(home).expanduser().absolute())) as store:
                for one in replay_events(iter_past_events(store, times, ""), PastFacts(store, change)):
                    summary.add(one, self.samples)
                    show(summary)
        return summary, change


def print_trial(summary: ReplaySummary, change: CatalogChange, as_json: bool) -> None:
    if as_json:
        screen.print_json(summary_to_json(summary))
    else:
        print_summary(summary, change)
