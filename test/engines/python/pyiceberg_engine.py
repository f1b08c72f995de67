import os

import pyarrow.parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import ForbiddenError

from lake import PLAN, check, every_moment, every_table, every_write, hundred_reads, names, outlives_credentials


def open_catalog(token, uri=PLAN["uri"]):
    return load_catalog("millrace", type="rest", uri=uri, token=token)


catalog = open_catalog(PLAN["token"])


def load(table):
    return catalog.load_table((table["namespace"], table["table"]))


def rows_of(arrow, table):
    columns = [arrow.column(name).to_pylist() for name in names(table)]
    return zip(*columns)


every_table(lambda table: rows_of(load(table).scan().to_arrow(), table))


def first_at(table, snapshot_id):
    scan = load(table).scan(snapshot_id=snapshot_id)
    return scan.to_arrow().column(0).to_pylist()


def at_time(table, time):
    snapshot = load(table).snapshot_as_of_timestamp(time)
    return first_at(table, snapshot.snapshot_id)


every_moment(lambda table, snapshot: first_at(table, int(snapshot["id"])), at_time)

INSPECTED = ["snapshots", "history", "refs", "entries", "files", "data_files", "delete_files", "manifests",
             "all_manifests", "all_files", "all_data_files", "all_delete_files", "partitions", "metadata_log_entries"]


def inspect(name):
    # PyIceberg refuses to look into a table that has had no row.
    tables = [table for table in PLAN["tables"] if table["snapshots"]]
    return f"{sum(getattr(load(table).inspect, name)().num_rows for table in tables)} rows"


for name in INSPECTED:
    check(f"inspect.{name}", lambda: inspect(name))


def only_its_own():
    restricted = open_catalog(PLAN["restricted"]["token"])
    restricted.load_table((PLAN["restricted"]["namespace"], PLAN["restricted"]["table"])).scan().to_arrow()
    try:
        restricted.load_table((PLAN["busy"]["namespace"], PLAN["busy"]["table"]))
    except ForbiddenError as error:
        return str(error)
    raise AssertionError("reads a bucket that its token does not name")


check("restricted token", only_its_own)
every_write(lambda table, folder: pyarrow.parquet.write_table(
    load(table).scan().to_arrow().select(names(table)), os.path.join(folder, "rows.parquet"), compression="zstd"))


def opened(table):
    short = open_catalog(PLAN["token"], PLAN["expiring"]["uri"]).load_table((table["namespace"], table["table"]))
    return lambda: rows_of(short.scan().to_arrow(), table)


outlives_credentials(opened)
hundred_reads(lambda table: load(table).scan().to_arrow().num_rows)
