"""How often and how soon."""

from synaptic.fleet.pace import CrashCounter, RestartPace


def test_each_crash_waits_twice_as_long_and_the_fifth_ends_it():
    crashes = CrashCounter(RestartPace())
    assert [crashes.add(float(at)) for at in range(5)] == [1, 2, 4, 8, None]


def test_no_wait_is_longer_than_a_minute():
    crashes = CrashCounter(RestartPace(restarts=10))
    assert [crashes.add(0.0) for _ in range(9)][-3:] == [60, 60, 60]


def test_old_crashes_are_forgotten():
    crashes = CrashCounter(RestartPace())
    for at in range(4):
        crashes.add(float(at))
    assert crashes.add(601.5) == 4
    assert len(crashes) == 3


def test_none_is_answered_when_none_should_be():
    assert CrashCounter(RestartPace(restarts=0)).add(0.0) is None
