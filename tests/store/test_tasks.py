"""Tasks and projects."""

import sqlite3

from synaptic.store import efforts, tasks
from synaptic.store.db import Store
from synaptic.store.tasks import TaskDescription
from tests.store.efforts_kit import ROOT, begin


def put(store: Store, task: TaskDescription, root: str = ROOT) -> None:
    store.write(
        lambda connection: tasks.upsert_task(connection, tasks.upsert_project(connection, root, 1.0), task, 1.0)
    )


def test_a_folder_is_one_task_and_what_is_left_out_stays(store: Store):
    """S3-022, S3-207"""
    put(store, TaskDescription(folder="/r/.tasks/a", title="A", keywords=("x", "ü")))
    put(store, TaskDescription(folder="/r/.tasks/a", description="about"))
    (found,) = tasks.list_tasks(store)
    assert (found.title, found.description, found.keywords) == ("A", "about", ("x", "ü"))
    assert found.project == ROOT
    put(store, TaskDescription(folder="/r/.tasks/a", keywords=()))
    assert tasks.list_tasks(store)[0].keywords == ()


def test_a_project_is_known_once(store: Store):
    """S3-207"""
    numbers = {store.write(lambda connection: tasks.upsert_project(connection, ROOT, 1.0)) for _ in range(3)}
    assert len(numbers) == 1


def test_a_task_has_no_state_and_is_active_while_an_effort_is(store: Store):
    """S3-004"""
    with sqlite3.connect(store.path) as other:
        columns = {row[1] for row in other.execute("PRAGMA table_info(tasks)")}
    assert columns.isdisjoint({"lifecycle", "status", "state", "active"})
    one, two = begin(store, skill="a"), begin(store, skill="b")
    assert tasks.find_task(store, one.effort.task).active == 2
    efforts.finish_effort(store, one.effort.id, None, 5.0)
    assert tasks.find_task(store, one.effort.task).active == 1
    efforts.finish_effort(store, two.effort.id, None, 9.0)
    found = tasks.find_task(store, one.effort.task)
    assert (found.active, found.efforts, found.last_activity) == (0, 2, 9.0)


def test_the_last_worked_on_comes_first_and_projects_are_apart(store: Store):
    begin(store, at=1.0, task="/r/.tasks/a")
    begin(store, at=3.0, task="/r/.tasks/b")
    begin(store, at=2.0, task="/other/.tasks/c", root="/other")
    assert [one.folder for one in tasks.list_tasks(store)] == ["/r/.tasks/b", "/other/.tasks/c", "/r/.tasks/a"]
    mine = store.write(lambda connection: tasks.upsert_project(connection, ROOT, 1.0))
    assert [one.folder for one in tasks.list_tasks(store, mine)] == ["/r/.tasks/b", "/r/.tasks/a"]
    assert tasks.find_task(store, "/r/.tasks/nowhere") is None


def test_a_task_belongs_to_the_project_that_works_on_it_now(store: Store):
    put(store, TaskDescription(folder="/r/sub/t"))
    put(store, TaskDescription(folder="/r/sub/t"), root="/r/sub")
    assert [one.project for one in tasks.list_tasks(store)] == ["/r/sub"]


def test_damaged_keywords_are_none(store: Store):
    put(store, TaskDescription(folder="/r/.tasks/a", keywords=("x",)))
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE tasks SET keywords = 'not-json{{{'")
    assert tasks.list_tasks(store)[0].keywords == ()
