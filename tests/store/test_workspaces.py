from synaptic.model.home import Home
from synaptic.store import journal, workspaces
from synaptic.store.db import Store
from synaptic.store.record import EventRecord


def record(call: str, event: str, payload: bytes = b"{}") -> EventRecord:
    return EventRecord(call=call, at=1.0, agent="claude", event=event, session="s", payload=payload)


def test_added_folders_belong_to_a_session_until_it_ends(tmp_path) -> None:
    store = Store.open(Home(tmp_path))
    journal.append_records(store, [record("1", "DirectoryAdded", b'{"directory": "/b"}')])
    journal.append_records(
        store, [record("2", "DirectoryAdded", b'{"directory": "/a"}'), record("3", "DirectoryAdded", b"x")]
    )
    assert workspaces.read_added_folders(store, "s") == ("/a", "/b")
    assert workspaces.read_added_folders(store, "other") == ()
    journal.append_records(store, [record("4", "SessionEnd")])
    assert workspaces.read_added_folders(store, "s") == ()
