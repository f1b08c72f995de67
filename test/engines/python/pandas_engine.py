"""Files that pandas writes, and those of vega-datasets, from landing and by `millrace upload`: the tables have the cells and types that pandas has."""

import json
import os
import subprocess
import tempfile

import boto3
import pandas

from lake import PLAN, check, in_order

FOLDER = tempfile.mkdtemp()
s3 = boto3.client("s3")


def millrace(*words):
    done = subprocess.run([*PLAN["millrace"], *words], capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def land(path, key, **metadata):
    s3.upload_file(path, PLAN["landing"], key, ExtraArgs={"Metadata": metadata})
    return millrace("wait", key, "--timeout", "120")


def written(content):
    """The frame as Parquet, the text as CSV."""
    path = os.path.join(FOLDER, "day.csv" if isinstance(content, str) else "day.parquet")
    if isinstance(content, str):
        with open(path, "w") as file:
            file.write(content)
    else:
        content.to_parquet(path, index=False)
    return path


def cells(frame):
    """Rows in any order, gaps as None; what is whole is so, whatever held it."""
    def plain(value):
        if pandas.isna(value):
            return None
        value = value.item() if hasattr(value, "item") else value
        return int(value) if isinstance(value, float) and value.is_integer() else value

    return in_order([plain(value) for value in row] for row in frame.astype(object).itertuples(index=False))


def table(name, ending):
    path = os.path.join(FOLDER, f"table.{ending}")
    if os.path.exists(path):
        os.remove(path)
    code, said = millrace("download", name, "-o", path)
    assert code == 0, said
    if ending == "parquet":
        return pandas.read_parquet(path, dtype_backend="pyarrow")
    return pandas.read_csv(path, dtype=str, keep_default_na=False)


def same(found, wanted, types=None):
    assert sorted(found.columns) == sorted(wanted.columns), f"columns {list(found.columns)}"
    found = found[list(wanted.columns)]
    if types:
        kinds = {name: str(kind).split("[")[0] for name, kind in found.dtypes.items()}
        assert kinds == types, f"types {kinds}"
    assert cells(found) == cells(wanted), f"{cells(found)[:4]} instead of {cells(wanted)[:4]}"
    return f"{len(wanted)} rows"


first = pandas.DataFrame({"id": [1, 2, 3], "n": [10, 20, 30], "s": ["a", "", None]})
gaps = pandas.DataFrame({"id": [3, 5], "n": [40, None], "s": ["x", None]})
more = first.assign(more=[1.5, 2.5, 3.5])
less = first.drop(columns="s")
other = first.assign(n=["one", "two", "three"])
WHOLE, FLOAT, TEXT = "int64", "double", "string"
TYPES = {"id": WHOLE, "n": WHOLE, "s": TEXT}


def by_key(known, day):
    return pandas.concat([known[~known["id"].isin(day["id"])], day])


def appended(known, day):
    return pandas.concat([known, day])


def replaced(_, day):
    return day


def days(mode, meta, change, steps):
    """Each step: a name, the frame, the types that the table has then, or words of the refusal."""
    known = None
    for number, (name, frame, expected) in enumerate(steps):
        def run():
            nonlocal known
            key = {"primary-key": "id"} if mode == "key" else {}
            code, said = land(written(frame), f"in.c-days/{mode}/{number}.parquet", **key, **(meta if number else {}))
            if isinstance(expected, str):
                assert code == 1 and expected in said, said
            else:
                assert code == 0, said
                wanted = frame if known is None else change(known, frame)
                missing = [column for column in (known.columns if known is not None else []) if column not in wanted]
                known = wanted.assign(**{column: None for column in missing})
            types = expected if isinstance(expected, dict) else None
            return same(table(f"in.c-days.{mode}", "parquet"), known, types)

        check(f"{mode}: {name}", run)


days("replace", {}, replaced, [
    ("the first day", first, TYPES),
    ("whole numbers with gaps are floats", gaps, {**TYPES, "n": FLOAT}),
    ("a column more", more, {**TYPES, "more": FLOAT}),
    ("two columns less", less, {**TYPES, "more": FLOAT}),
    ("a column of texts", other, {**TYPES, "n": TEXT, "more": FLOAT}),
])
days("append", {"incremental": "1"}, appended, [
    ("the first day", first, TYPES),
    ("whole numbers with gaps are floats", gaps, TYPES),
    ("a column more", more, {**TYPES, "more": FLOAT}),
    ("two columns less", less, {**TYPES, "more": FLOAT}),
    ("a column of texts is refused", other, '"n"'),
])
days("key", {"incremental": "1"}, by_key, [
    ("the first day", first, TYPES),
    ("whole numbers with gaps are floats", gaps, TYPES),
    ("a column more", more, {**TYPES, "more": FLOAT}),
    ("two columns less are refused", less, "more"),
    ("a column of texts is refused", other.assign(more=1.0), '"n"'),
])


def refused(words, content, key, **meta):
    code, said = land(written(content), key, **meta)
    assert code == 1 and all(word in said for word in words), said
    return said[:80]


check("NULL in a key is refused with its row", lambda: refused(
    ["row 2", "id"], pandas.DataFrame({"id": [1, None], "v": ["a", "b"]}), "in.c-days/keyed.parquet", **{"primary-key": "id"}))


def detected():
    code, said = land(written("id,v\n1,10\n2,20\n"), "in.c-days/detect.csv", types="detect")
    assert code == 0, said
    wanted = pandas.DataFrame({"id": [1, 2], "v": [10, 20]})
    same(table("in.c-days.detect", "parquet"), wanted, {"id": WHOLE, "v": WHOLE})
    refused(["line 2", '"v"'], "id,v\n3,x\n", "in.c-days/detect.csv", incremental="1")
    return same(table("in.c-days.detect", "parquet"), wanted)


check("a CSV with types=detect, and a later value that does not fit", detected)

FILES = ["airports.csv", "birdstrikes.csv", "seattle-weather.csv", "stocks.csv", "zipcodes.csv", "disasters.csv",
         "unemployment.tsv", "cars.json", "movies.json", "penguins.json", "flights-3m.parquet"]


def wanted_of(path):
    if path.endswith("parquet"):
        return pandas.read_parquet(path)
    if not path.endswith("json"):
        return pandas.read_csv(path, dtype=str, keep_default_na=False, sep="\t" if path.endswith("tsv") else ",")
    with open(path) as file:
        rows = json.load(file, parse_float=str, parse_int=str)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pandas.DataFrame([["" if row.get(name) is None else row[name] for name in names] for row in rows], columns=names, dtype=str)


def vega(name, bucket, bring):
    path = os.path.join(PLAN["vega"], name)
    wanted = wanted_of(path)
    target = name.split(".")[0].replace("-", "_")
    code, said = bring(path, f"{bucket}.{target}", f"{bucket}/{target}.{name.split('.')[1]}")
    assert code == 0, said
    found = table(f"{bucket}.{target}", "parquet" if name.endswith("parquet") else "csv")
    if len(wanted.columns) == len(found.columns):
        found.columns, said = list(wanted.columns), dict(zip(wanted.columns, found.columns))
    if not name.endswith("parquet"):
        return same(found, wanted)
    assert list(map(str, found.convert_dtypes(dtype_backend="numpy_nullable").dtypes)) == list(
        map(str, wanted.convert_dtypes().dtypes)), f"types {dict(found.dtypes)}"
    order = list(wanted.columns)
    found, wanted = (frame.astype("float64", errors="ignore").sort_values(order).reset_index(drop=True) for frame in (found, wanted))
    assert (found == wanted).all(axis=None), "other cells"
    return f"{len(wanted)} rows"


if PLAN["vega"] is None:
    print("  skipped: npm could not bring vega-datasets.", flush=True)
else:
    for each in FILES:
        check(f"{each} from landing", lambda: vega(each, "in.c-land", lambda path, _, key: land(path, key)))
        check(f"{each} by upload", lambda: vega(each, "in.c-up", lambda path, target, _: millrace("upload", path, "--table", target)))
