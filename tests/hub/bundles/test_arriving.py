"""Bundles as they come: told by a hub, or looked for where this machine follows them."""

import asyncio

from synaptic.hooks.bundle_seal import read_trouble
from synaptic.hub.bundles.arriving import BundleTaker
from synaptic.hub.bundles.pull import find_version
from synaptic.hub.place import Membership
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.shipping.status import describe_bundle
from synaptic.hub.wire import HubNews, SignedBundle
from tests.hub.questions.kit import Organisation, make_home


class Hub:
    """A hub that offers one bundle, and counts how often it is fetched."""

    where = "https://hub.example"

    def __init__(self, bundle: SignedBundle | None) -> None:
        self.bundle, self.fetched = bundle, 0

    async def fetch_bundle(self) -> SignedBundle | None:
        self.fetched += 1
        return self.bundle


class Link:
    def __init__(self, home, hub: Hub) -> None:
        self.home, self.client = home, hub


def make_host(tmp_path, organisation: Organisation, *, believes: bool = True):
    home = make_home(tmp_path)
    home.root.mkdir(parents=True)
    key = organisation.key.public.text if believes else ""
    write_membership(home, Membership(url=Hub.where, host="build-7", organisation_key=key))
    return home


def test_what_the_hub_offers_is_taken_in_once_and_the_host_says_so(tmp_path):
    organisation = Organisation()
    home, hub, taker = make_host(tmp_path, organisation), Hub(organisation.make_bundle()), BundleTaker()
    for _ in range(3):
        asyncio.run(taker.take(Link(home, hub), HubNews(bundle=1)))
    assert (find_version(home), hub.fetched) == (1, 1)
    assert describe_bundle(home).name == "acme 1"
    hub.bundle = organisation.make_bundle()
    asyncio.run(taker.take(Link(home, hub), HubNews(bundle=2)))
    assert describe_bundle(home).name == "acme 2"


def test_a_bundle_of_somebody_else_is_refused_told_and_not_fetched_with_every_answer(tmp_path):
    organisation = Organisation()
    home, hub, taker = make_host(tmp_path, organisation), Hub(organisation.make_bundle()), BundleTaker()
    asyncio.run(taker.take(Link(home, hub), HubNews(bundle=1)))
    hub.bundle = Organisation().make_bundle()
    for _ in range(5):
        asyncio.run(taker.take(Link(home, hub), HubNews(bundle=9)))
    assert (find_version(home), hub.fetched) == (1, 2)
    assert "another key" in read_trouble(home).why
    assert "another key" in describe_bundle(home).trouble


def test_a_host_without_a_pinned_key_fetches_none(tmp_path):
    organisation = Organisation()
    home, hub = make_host(tmp_path, organisation, believes=False), Hub(organisation.make_bundle())
    asyncio.run(BundleTaker().take(Link(home, hub), HubNews(bundle=1)))
    assert (find_version(home), hub.fetched) == (0, 0)


def test_a_hub_without_a_bundle_changes_nothing(tmp_path):
    organisation = Organisation()
    home, hub = make_host(tmp_path, organisation), Hub(None)
    asyncio.run(BundleTaker().take(Link(home, hub), HubNews(bundle=3)))
    assert find_version(home) == 0
    assert read_trouble(home) is None


def test_a_hub_that_names_another_version_each_time_is_not_asked_for_it_each_time(tmp_path):
    organisation = Organisation()
    home, hub, taker = make_host(tmp_path, organisation), Hub(Organisation().make_bundle()), BundleTaker()
    for number in range(5, 25):
        asyncio.run(taker.take(Link(home, hub), HubNews(bundle=number)))
    assert hub.fetched == 1


def test_a_hub_that_offers_another_version_and_brings_the_one_in_force_is_not_asked_each_time(tmp_path):
    organisation = Organisation()
    home, hub, taker = make_host(tmp_path, organisation), Hub(organisation.make_bundle()), BundleTaker()
    asyncio.run(taker.take(Link(home, hub), HubNews(bundle=1)))
    for number in range(5):
        asyncio.run(taker.take(Link(home, hub), HubNews(bundle=7 + number % 2)))
    assert hub.fetched == 2
