"""Signals as something to wait on."""

import os
import select
import signal

from synaptic.fleet.signals import HANDLED_SIGNALS, SignalPipe


def test_a_signal_is_told_once_and_kills_nobody():
    before = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    signals = SignalPipe()
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert select.select([signals.fd], [], [], 5)[0]
        assert {signal.SIGTERM, signal.SIGINT} <= signals.read_arrived()
        assert signals.read_arrived() == frozenset()
    finally:
        signals.close()
    assert {number: signal.getsignal(number) for number in HANDLED_SIGNALS} == before


def test_what_was_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signals = SignalPipe()
    try:
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signals.close()
        signal.signal(signal.SIGHUP, before)
