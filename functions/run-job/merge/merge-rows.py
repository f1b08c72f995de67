"""Merges staged rows by their key into the fork of a table, two Iceberg tables. Argument: location of a JSON file."""
import json
import sys

from pyspark.sql import SparkSession

DONE = "millrace.replaced"
spark = SparkSession.builder.getOrCreate()
asked = json.loads(spark.read.text(sys.argv[1], wholetext=True).first()[0])


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def value(side, name):
    # In a table of texts, files from before a column was there have no cell, which reads as an empty one.
    cell = f"{side}.{quoted(name)}"
    return f"coalesce({cell}, '')" if asked["isText"] else cell


def same(names):
    return " AND ".join(f"{value('old', name)} <=> {value('new', name)}" for name in names)


def count(rows):
    return spark.sql(f"SELECT count(*) FROM {rows}").first()[0]


columns = ", ".join(quoted(name) for name in [*asked["columns"], "_timestamp"])
key = ", ".join(quoted(name) for name in asked["key"])
others = [name for name in asked["columns"] if name not in asked["key"]]
staged = "work.staged.rows"
newest = f"""(SELECT {columns} FROM (
    SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY _load_range DESC, _load_row DESC) AS _load_place FROM {staged}
  ) WHERE _load_place = 1)"""

# A run that is begun again after its last step has nothing to do; after the merge, the merge changes nothing.
if DONE not in {row[0] for row in spark.sql("SHOW TBLPROPERTIES work.fork.rows").collect()}:
    replaced = count(staged) - count(newest)
    changed = f"AND NOT ({same(others)})" if others else "AND false"
    spark.sql(f"""
        MERGE INTO work.fork.rows AS old USING {newest} AS new ON {same(asked['key'])}
        WHEN MATCHED {changed} THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")
    spark.sql(f"ALTER TABLE work.fork.rows SET TBLPROPERTIES ('{DONE}' = '{replaced}')")
spark.stop()
