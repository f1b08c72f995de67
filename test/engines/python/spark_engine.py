import datetime
import os
import tempfile

from pyspark.sql import SparkSession

from lake import PLAN, check, every_moment, every_table, hundred_reads, quoted, same_ids, same_rows

copies = tempfile.mkdtemp()
builder = SparkSession.builder.master("local[2]").config("spark.jars", PLAN["jars"])
settings = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1200m",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
for name, token in (("lake", PLAN["token"]), ("own", PLAN["restricted"]["token"])):
    settings |= {
        f"spark.sql.catalog.{name}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{name}.type": "rest",
        f"spark.sql.catalog.{name}.uri": PLAN["uri"],
        f"spark.sql.catalog.{name}.token": token,
        f"spark.sql.catalog.{name}.header.X-Iceberg-Access-Delegation": "vended-credentials",
        f"spark.sql.catalog.{name}.cache-enabled": "false",
    }
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def name_of(table):
    return f"lake.`{table['namespace']}`.`{table['table']}`"


def fetch(sql):
    return [tuple(row) for row in spark.sql(sql).collect()]


def first_column(table, travel):
    return [row[0] for row in fetch(f"SELECT `{table['columns'][0]['name']}` FROM {name_of(table)} {travel}")]


def time_text(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")


every_table(lambda table: fetch(f"SELECT {quoted(table, '`')} FROM {name_of(table)}"))
every_moment(
    lambda table, snapshot: first_column(table, f"VERSION AS OF {snapshot['id']}"),
    lambda table, ms: first_column(table, f"TIMESTAMP AS OF '{time_text(ms)}'"),
)

METADATA = ["snapshots", "history", "files", "data_files", "delete_files", "manifests", "entries", "refs", "partitions",
            "metadata_log_entries", "all_files", "all_data_files", "all_delete_files", "all_manifests", "all_entries"]
for name in METADATA:
    check(f".{name}", lambda: f"{sum(len(fetch(f'SELECT * FROM {name_of(table)}.{name}')) for table in PLAN['tables'])} rows")


def increments(table):
    """The rows of each snapshot after the one before, which together are the table."""
    snapshots = table["snapshots"]
    found = first_column(table, f"VERSION AS OF {snapshots[0]['id']}")
    for before, after in zip(snapshots, snapshots[1:]):
        frame = spark.read.format("iceberg").option("start-snapshot-id", before["id"]).option("end-snapshot-id", after["id"])
        found += [row[0] for row in frame.load(name_of(table)).collect()]
    same_ids(snapshots[-1]["ids"], found)
    return f"{len(snapshots)} snapshots, {len(found)} rows"


def stream(table):
    place = tempfile.mkdtemp(dir=copies)
    query = spark.readStream.format("iceberg").option("stream-from-timestamp", "0").load(name_of(table))
    writing = query.writeStream.format("memory").queryName(os.path.basename(place)).trigger(availableNow=True)
    writing.option("checkpointLocation", place).start().awaitTermination()
    found = [row[0] for row in fetch(f"SELECT * FROM `{os.path.basename(place)}`")]
    same_ids(table["snapshots"][-1]["ids"], found)
    return f"{len(found)} rows"


for table in PLAN["tables"]:
    if table["isAppendOnly"] and table["snapshots"]:
        check(f"{table['name']}: increments", lambda: increments(table))
        check(f"{table['name']}: stream", lambda: stream(table))


def only_its_own():
    fetch(f"SELECT * FROM own.`{PLAN['restricted']['namespace']}`.`{PLAN['restricted']['table']}`")
    fetch(f"SELECT * FROM own.`{PLAN['restricted']['namespace']}`.`{PLAN['restricted']['table']}`.snapshots")
    try:
        fetch(f"SELECT * FROM own.`{PLAN['busy']['namespace']}`.`{PLAN['busy']['table']}`")
    except Exception as error:
        return str(error)[:200]
    raise AssertionError("reads a bucket that its token does not name")


check("restricted token", only_its_own)
hundred_reads(lambda table: fetch(f"SELECT count(*) FROM {name_of(table)}")[0][0])
spark.stop()
