import datetime
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

from pyspark.sql import SparkSession

from lake import PLAN, check, every_moment, every_table, every_write, hundred_reads, outlives_credentials, quoted, same_ids, same_rows

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
CATALOGS = (
    ("lake", PLAN["token"], PLAN["uri"]),
    ("own", PLAN["restricted"]["token"], PLAN["uri"]),
    ("short", PLAN["token"], PLAN["expiring"]["uri"]),
)
for name, token, uri in CATALOGS:
    settings |= {
        f"spark.sql.catalog.{name}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{name}.type": "rest",
        f"spark.sql.catalog.{name}.uri": uri,
        f"spark.sql.catalog.{name}.token": token,
        f"spark.sql.catalog.{name}.header.X-Iceberg-Access-Delegation": "vended-credentials",
        f"spark.sql.catalog.{name}.cache-enabled": "false",
    }
settings |= {
    "spark.sql.catalog.copies": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.copies.type": "hadoop",
    "spark.sql.catalog.copies.warehouse": f"file://{copies}/warehouse",
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


def place_of(table):
    request = urllib.request.Request(
        f"{PLAN['uri']}/v1/namespaces/{table['namespace']}/tables/{table['table']}",
        headers={"authorization": f"Bearer {PLAN['token']}"},
    )
    return json.load(urllib.request.urlopen(request))["metadata"]["location"]


def copied(table):
    """Spark's own way to copy a table whole, history and all. Gives the metadata file of the copy."""
    place, target, staging = place_of(table), f"file://{copies}/{table['table']}", f"file://{copies}/staging-{table['table']}"
    said = spark.sql(
        f"CALL lake.system.rewrite_table_path(table => '{table['namespace']}.{table['table']}', source_prefix => '{place}', "
        f"target_prefix => '{target}', staging_location => '{staging}')"
    ).collect()[0]
    for row in spark.read.csv(said["file_list_location"]).collect():
        source, wanted = row[0], row[1].replace("file:", "").replace("//", "/")
        os.makedirs(os.path.dirname(wanted), exist_ok=True)
        if source.startswith("s3:"):
            fetch_object(table, source, wanted)
        else:
            shutil.copy(source.replace("file:", "").replace("//", "/"), wanted)
    return f"{target}/metadata/{said['latest_version']}"


def fetch_object(table, source, wanted):
    path = spark._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name_of(table).replace("`", ""))
    stream = path.io().newInputFile(source).newStream()
    target = spark._jvm.java.nio.file.Paths.get(wanted, spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 0))
    spark._jvm.java.nio.file.Files.copy(stream, target, spark.sparkContext._gateway.new_array(spark._jvm.java.nio.file.CopyOption, 0))
    stream.close()


def newest_metadata(table):
    return max(glob.glob(f"{copies}/warehouse/db/{table['table']}/metadata/*.metadata.json"), key=os.path.getmtime)


def rewritten(table):
    """Rewrites every file of a copy and forgets its history: what is left has the same rows, for Spark and for PyIceberg."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS copies.db")
    name = f"copies.db.`{table['table']}`"
    read = lambda: same_rows(table, fetch(f"SELECT {quoted(table, '`')} FROM {name}"))
    spark.sql(f"CALL copies.system.register_table(table => 'db.{table['table']}', metadata_file => '{copied(table)}')")
    read()
    files = spark.sql(f"CALL copies.system.rewrite_data_files(table => 'db.{table['table']}', options => map('rewrite-all', 'true'))")
    read()
    expired = spark.sql(
        f"CALL copies.system.expire_snapshots(table => 'db.{table['table']}', older_than => TIMESTAMP '{time_text(32503680000000)}', retain_last => 1)"
    )
    read()
    said = f"{files.collect()[0]['rewritten_data_files_count']} files, {sum(expired.collect()[0][:5])} deleted"
    script = (
        "import json, sys; from pyiceberg.table import StaticTable;"
        "print(json.dumps(StaticTable.from_metadata(sys.argv[1]).scan().to_arrow().num_rows))"
    )
    known = subprocess.run([sys.executable, "-c", script, newest_metadata(table)], capture_output=True, text=True,
                           env=os.environ | {"PYTHONPATH": PLAN["pyiceberg"]})
    if known.stdout.strip() != str(len(table["rows"])):
        raise AssertionError(f"PyIceberg finds {known.stdout} rows instead of {len(table['rows'])}: {known.stderr[-300:]}")
    return said


for table in PLAN["tables"]:
    if table["snapshots"]:
        check(f"{table['name']}: rewrite_data_files and expire_snapshots of a copy", lambda: rewritten(table))

every_write(lambda table, folder: spark.sql(f"SELECT {quoted(table, '`')} FROM {name_of(table)}").write.mode("overwrite").parquet(folder))


def opened(table):
    frame = spark.sql(f"SELECT {quoted(table, '`')} FROM {name_of(table).replace('lake', 'short')}")
    return lambda: [tuple(row) for row in frame.collect()]


outlives_credentials(opened)
hundred_reads(lambda table: fetch(f"SELECT count(*) FROM {name_of(table)}")[0][0])
spark.stop()
