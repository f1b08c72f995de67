import datetime
import importlib.util
import pathlib

import duckdb

from lake import PLAN, check, every_moment, every_table, every_write, hundred_reads, outlives_credentials

engine = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for name in ("avro", "httpfs", "iceberg"):
    folder = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").submodule_search_locations[0])
    engine.load_extension(str(next(folder.rglob("*.duckdb_extension"))))


def attach(alias, token, uri=PLAN["uri"]):
    engine.execute(f"CREATE SECRET {alias}_token (TYPE iceberg, TOKEN '{token}')")
    engine.execute(f"ATTACH 'millrace' AS {alias} (TYPE iceberg, ENDPOINT '{uri}', SECRET {alias}_token)")


attach("lake", PLAN["token"])
engine.execute("SET TimeZone = 'UTC'")


def name_of(table, catalog="lake"):
    return f"{catalog}.\"{table['namespace']}\".\"{table['table']}\""


def fetch(sql):
    return engine.execute(sql).fetchall()


def first_column(table, travel):
    first = table["columns"][0]["name"]
    return [row[0] for row in fetch(f'SELECT "{first}" FROM {name_of(table)} AT ({travel})')]


def time_text(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def texts_of_times(table):
    """Its Python client needs pytz for values of this type."""
    cast = {"timestamptz": "::VARCHAR"}
    return ", ".join(f'"{column["name"]}"{cast.get(column["type"], "")}' for column in table["columns"])


every_table(lambda table: fetch(f"SELECT {texts_of_times(table)} FROM {name_of(table)}"))
every_moment(
    lambda table, snapshot: first_column(table, f"VERSION => {snapshot['id']}"),
    lambda table, ms: first_column(table, f"TIMESTAMP => TIMESTAMP '{time_text(ms)}'"),
)
check("iceberg_snapshots", lambda: f"{sum(len(fetch(f'SELECT * FROM iceberg_snapshots({name_of(table)})')) for table in PLAN['tables'])} rows")
check("iceberg_metadata", lambda: f"{sum(len(fetch(f'SELECT * FROM iceberg_metadata({name_of(table)})')) for table in PLAN['tables'])} rows")


def only_its_own():
    attach("own", PLAN["restricted"]["token"])
    fetch(f"SELECT count(*) FROM own.\"{PLAN['restricted']['namespace']}\".\"{PLAN['restricted']['table']}\"")
    try:
        fetch(f"SELECT * FROM own.\"{PLAN['busy']['namespace']}\".\"{PLAN['busy']['table']}\"")
    except duckdb.Error as error:
        return str(error)[:200]
    raise AssertionError("reads a bucket that its token does not name")


check("restricted token", only_its_own)
every_write(lambda table, folder: engine.execute(
    f"COPY (SELECT * EXCLUDE (_timestamp) FROM {name_of(table)}) TO '{folder}/rows.parquet'"))


def opened(table):
    attach("short", PLAN["token"], PLAN["expiring"]["uri"])
    return lambda: fetch(f"SELECT {texts_of_times(table)} FROM {name_of(table, 'short')}")


outlives_credentials(opened)
hundred_reads(lambda table: fetch(f"SELECT count(*) FROM {name_of(table)}")[0][0])
