import polars
from pyiceberg.catalog import load_catalog

from lake import PLAN, every_moment, every_table, hundred_reads, names

catalog = load_catalog("millrace", type="rest", uri=PLAN["uri"], token=PLAN["token"])


def scan(table, **options):
    loaded = catalog.load_table((table["namespace"], table["table"]))
    return polars.scan_iceberg(loaded, storage_options=loaded.io.properties, **options)


every_table(lambda table: scan(table).select(names(table)).collect().rows())
every_moment(
    lambda table, snapshot: scan(table, snapshot_id=int(snapshot["id"])).collect().to_series(0).to_list(),
    None,
)
hundred_reads(lambda table: scan(table).collect().height)
