"""The process that ships, as it is: killed, cut off, on a full disk, with a journal that was begun anew."""

import time

from tests.hub.shipping.conftest import Shipping, wait_until


def test_everything_arrives_once_and_in_order(shipping: Shipping):
    shipping.add(1200)
    shipping.start()
    shipping.wait_until_all_arrived()
    shipping.add(3)
    shipping.wait_until_all_arrived()
    wait_until(lambda: bool(shipping.hub.statuses))
    assert shipping.hub.statuses[-1]["contents"] == "structure"


def test_killed_at_any_moment_nothing_is_lost_or_doubled(shipping: Shipping):
    shipping.add(3000)
    for turn in range(12):
        shipping.start()
        wait_until(lambda before=len(shipping.arrived): len(shipping.arrived) > before, 20, shipping.describe)
        time.sleep(turn * 0.003)
        shipping.kill()
        shipping.add(700)
    shipping.start()
    shipping.wait_until_all_arrived()


def test_killed_before_a_batch_is_taken_and_after_it(shipping: Shipping):
    for fault in ("before", "after"):
        shipping.add(700)
        shipping.hub.fault, asked = fault, len(shipping.hub.asked)
        shipping.start()
        wait_until(lambda: ("POST", "/api/v1/events") in shipping.hub.asked[asked:], 20, shipping.describe)  # noqa: B023
        shipping.kill()
        shipping.hub.fault = ""
        shipping.start()
        shipping.wait_until_all_arrived()
        shipping.kill()
