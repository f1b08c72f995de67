import os

import polars
from pyiceberg.catalog import load_catalog

from lake import PLAN, every_moment, every_table, every_write, hundred_reads, names

catalog = load_catalog("millrace", type="rest", uri=PLAN["uri"], token=PLAN["token"])


def scan(table, **options):
    loaded = catalog.load_table((table["namespace"], table["table"]))
    return polars.scan_iceberg(loaded, storage_options=loaded.io.properties, **options)


every_table(lambda table: scan(table).select(names(table)).collect().rows())
every_moment(
    lambda table, snapshot: scan(table, snapshot_id=int(snapshot["id"])).collect().to_series(0).to_list(),
    None,
)
every_write(lambda table, folder: scan(table).select(names(table)).collect().write_parquet(os.path.join(folder, "rows.parquet")))
hundred_reads(lambda table: scan(table).collect().height)
