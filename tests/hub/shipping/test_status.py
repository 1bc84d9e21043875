"""What a host says of itself: nothing of it names its user."""

import msgspec

from synaptic.engine.environment import find_user_home
from synaptic.hooks.bundle_seal import BundlePlace, BundleTrouble
from synaptic.hub.shipping.link import HubLink
from synaptic.hub.shipping.plan import read_plan
from synaptic.hub.shipping.status import make_status
from tests.hub.shipping.conftest import Shipping


class Shipped:
    newest_mark = 7


def test_no_trouble_names_the_home_of_the_user(shipping: Shipping):
    user_home = find_user_home(shipping.home)
    place = BundlePlace.of(shipping.home)
    place.root.mkdir()
    place.trouble.write_bytes(msgspec.json.encode(BundleTrouble(at=1.0, why=f"no key: {user_home}/.synaptic/x")))
    troubles = (f"jsonl {user_home}/log.jsonl: the disk is full",)
    plan = read_plan(shipping.home)
    link = HubLink(shipping.home, plan, None, shipping.store, None, Shipped(), lambda: troubles)
    status = make_status(link)
    assert status.problems == ("jsonl ~/log.jsonl: the disk is full",)
    assert status.bundle_trouble == "no key: ~/.synaptic/x"
    assert user_home not in msgspec.json.encode(status).decode()
