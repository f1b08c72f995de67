"""What the scripts of all engines share: the plan that test/engines/lake.ts wrote, and how rows are compared."""

import datetime
import decimal
import json
import os
import sys
import time
import urllib.request

with open(sys.argv[1]) as file:
    PLAN = json.load(file)

UTC = datetime.timezone.utc


def wanted_cell(text, kind):
    """A cell of an export, which is text, as a value of the column's type."""
    if kind == "string":
        return text
    if text == "":
        return None
    if kind in ("int", "long"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind.startswith("decimal"):
        return decimal.Decimal(text)
    if kind == "boolean":
        return text == "true"
    if kind == "date":
        return datetime.date.fromisoformat(text)
    return datetime.datetime.fromisoformat(text.replace(" +0000", "")).replace(tzinfo=None)


def found_cell(value, kind):
    if kind == "string":
        return "" if value is None else str(value)
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).replace(tzinfo=None)
    if kind.startswith("decimal"):
        return decimal.Decimal(str(value))
    if kind == "date" and isinstance(value, str):
        return datetime.date.fromisoformat(value)
    if kind.startswith("timestamp") and isinstance(value, str):
        return found_cell(datetime.datetime.fromisoformat(value.replace(" UTC", "+00:00")), kind)
    return value


def in_order(rows):
    return sorted((tuple(row) for row in rows), key=repr)


def check(name, run):
    """Prints one line of JSON: whether `run` went through, and what it says."""
    try:
        said = run()
        print(json.dumps({"check": name, "ok": True, "said": said}), flush=True)
    except Exception as error:  # Whatever an engine throws is what it says.
        print(json.dumps({"check": name, "ok": False, "said": f"{type(error).__name__}: {error}"[:600]}), flush=True)


def same_rows(table, rows):
    """`rows` have the columns of the table, in its order."""
    kinds = [column["type"] for column in table["columns"]]
    wanted = in_order([wanted_cell(cell, kind) for cell, kind in zip(row, kinds)] for row in table["rows"])
    found = in_order([found_cell(cell, kind) for cell, kind in zip(row, kinds)] for row in rows)
    if len(wanted) != len(found):
        raise AssertionError(f"{len(found)} rows instead of {len(wanted)}")
    for is_row, should in zip(found, wanted):
        if is_row != should:
            raise AssertionError(f"{is_row} instead of {should}")
    return f"{len(found)} rows"


def same_ids(wanted, found):
    """`found`: the first column."""
    found = sorted(str(cell) for cell in found)
    if found != wanted:
        raise AssertionError(f"{len(found)} rows {found[:5]} instead of {len(wanted)} {wanted[:5]}")


def names(table):
    return [column["name"] for column in table["columns"]]


def quoted(table, mark='"'):
    return ", ".join(mark + name + mark for name in names(table))


def moments(table):
    """Each snapshot with a time just before the next one, at which it was the current one still."""
    snapshots = table["snapshots"]
    following = [snapshot["timeMs"] - 1 for snapshot in snapshots[1:]] + [snapshots[-1]["timeMs"] if snapshots else 0]
    return list(zip(snapshots, following))


def every_table(read):
    """`read(table)` gives its rows."""
    for table in PLAN["tables"]:
        check(f"{table['name']}: cells", lambda: same_rows(table, read(table)))


def every_moment(at_snapshot, at_time):
    """Both give the first column of a table as it was."""

    def travel(table):
        for snapshot, until in moments(table):
            same_ids(snapshot["ids"], at_snapshot(table, snapshot))
            if at_time:
                same_ids(snapshot["ids"], at_time(table, snapshot["timeMs"]))
                same_ids(snapshot["ids"], at_time(table, until))
        return f"{len(table['snapshots'])} snapshots"

    for table in PLAN["tables"]:
        check(f"{table['name']}: time travel", lambda: travel(table))


def hundred_reads(read):
    """Reads the table that is loaded all the while: each load adds ten rows, so any other count is half of one."""

    def reads():
        counts = [read(PLAN["busy"]) for _ in range(PLAN["reads"])]
        torn = [count for count in counts if count % 10]
        if torn:
            raise AssertionError(f"read {torn[:3]} rows, and loads bring ten")
        if counts != sorted(counts):
            raise AssertionError("a later read showed fewer rows")
        return f"{len(counts)} reads, from {counts[0]} to {counts[-1]} rows"

    check("reads during loads", reads)


def every_write(write):
    """`write(table, folder)` puts the rows of a table as Parquet below a folder; the service loads them afterwards."""

    def written(table):
        folder = os.path.join(PLAN["written"], f"{table['namespace']}.{table['table']}")
        os.makedirs(folder)
        write(table, folder)
        return folder

    for table in PLAN["tables"]:
        check(f"{table['name']}: is written as Parquet", lambda: written(table))


def asked_again():
    with urllib.request.urlopen(PLAN["expiring"]["asked"]) as reply:
        return int(reply.read())


def outlives_credentials(opened):
    """`opened(table)` opens a table of the catalog whose credentials end soon, and gives what reads the open table."""

    def outlive():
        table = PLAN["tables"][0]
        before = asked_again()
        read = opened(table)
        same_rows(table, read())
        time.sleep(PLAN["expiring"]["seconds"] + 2)
        same_rows(table, read())
        return f"asked for credentials {asked_again() - before} times"

    check("a read that outlives its credentials", outlive)
