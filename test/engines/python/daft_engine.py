import daft
from pyiceberg.catalog import load_catalog

from lake import PLAN, every_moment, every_table, every_write, hundred_reads, names

catalog = load_catalog("millrace", type="rest", uri=PLAN["uri"], token=PLAN["token"])


def read(table, **options):
    return daft.read_iceberg(catalog.load_table((table["namespace"], table["table"])), **options)


def rows_of(table):
    found = read(table).select(*names(table)).to_pydict()
    return zip(*[found[name] for name in names(table)])


every_table(rows_of)
every_moment(lambda table, snapshot: next(iter(read(table, snapshot_id=int(snapshot["id"])).to_pydict().values())), None)
every_write(lambda table, folder: read(table).select(*names(table)).write_parquet(folder))
hundred_reads(lambda table: read(table).count_rows())
