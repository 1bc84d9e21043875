"""What code empties through the libraries of databases and queues is noted as a call that policies can judge."""

import pytest

from tests.shell.read.seen import lines
from tests.shell.read.wrapping import quoted


def list_calls(program: str, code: str) -> list[str]:
    return [line for line in lines(f"{program} {quoted(code)}") if line.startswith(("library-call", "mongosh"))]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from app import db\ndb.drop_all()", ["library-call db.drop_all()"]),
        ("from m import Base, e\nBase.metadata.drop_all(bind=e)", ["library-call Base.metadata.drop_all()"]),
        ("from shop.celery import app\napp.control.purge()", ["library-call queue app.control.purge()"]),
        ("from m import Order\nOrder.objects.all().delete()", ["library-call Order.objects.all().delete()"]),
        ("from m import Order\nOrder.objects.filter(id=7).delete()", []),
        ("from m import Order\nOrder.objects.all().delete()\nOrder.objects.create(id=1)", []),
        ("from app import db\nprint('db.drop_all()')", []),
        ("from app import create_app, db\ncreate_app('testing')\ndb.drop_all()", []),
        ("e = create_engine('sqlite://')\nBase.metadata.drop_all(e)", []),
        ("e = create_engine('postgresql://localhost/shop')\nBase.metadata.drop_all(e)", []),
        (
            "from pymongo import MongoClient\nMongoClient('mongodb://db.prod')['shop'].orders.delete_many({})",
            ["mongosh mongodb://db.prod --eval db.c.deleteMany({})"],
        ),
        ("from pymongo import MongoClient\nMongoClient('mongodb://db.prod').a.b.delete_many({'x': 1})", []),
    ],
)
def test_python_that_empties_a_database_is_noted(code: str, found: list[str]) -> None:
    assert list_calls("python -c", code) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("mongoose.connection.dropDatabase()", ["library-call mongoose.connection.dropDatabase()"]),
        ("q.obliterate({force: true})", ["library-call queue q.obliterate()"]),
        ("prisma.user.deleteMany({})", ["library-call prisma.user.deleteMany()"]),
        ("prisma.user.deleteMany({ where: {} })", ["library-call prisma.user.deleteMany()"]),
        ("prisma.user.deleteMany({ where: { id: 7 } })", []),
        ("await db.user.deleteMany(); await db.user.create({ data: { email: 'a' } })", []),
        ("await db.user.deleteMany(); await db.role.create({ data: {} })", ["library-call db.user.deleteMany()"]),
        ("knex('users').del()", ["library-call del()"]),
        ("knex('users').where({ id: 7 }).del()", []),
        ("sequelize.sync({ logging: false, force: true })", ["library-call sequelize.sync()"]),
        ("sequelize.sync({ force: false })", []),
        ("dataSource.synchronize(true)", ["library-call dataSource.synchronize()"]),
        ("new Redis('redis://redis.prod').flushall()", ["library-call flushall() redis://redis.prod"]),
        ("new Redis().flushall()", []),
        ("console.log('dropDatabase()')", []),
        ("// mongoose.connection.dropDatabase()", []),
        ("new MongoClient('mongodb://localhost').db('shop').dropDatabase()", []),
    ],
)
def test_javascript_that_empties_a_database_is_noted(code: str, found: list[str]) -> None:
    assert list_calls("node -e", code) == found


@pytest.mark.parametrize("code", ["a" * 60_000 + ".dropDatabase()", "a." * 30_000 + "dropDatabase()", "knex('" * 9_000])
def test_long_code_is_read_to_its_end(code: str) -> None:
    assert list_calls("node -e", code) is not None
