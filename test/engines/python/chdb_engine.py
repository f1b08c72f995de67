import json
import urllib.request

from chdb import session

from lake import PLAN, every_table, hundred_reads, quoted

engine = session.Session()


def fetch(sql):
    text = str(engine.query(f"{sql} SETTINGS output_format_json_quote_decimals = 1, session_timezone = 'UTC'", "JSONCompactEachRow"))
    return [json.loads(line) for line in text.splitlines()]


def name_of(table):
    """Its database of catalogues doubles the path at an address of path style (26.9), so the table's own function reads it."""
    request = urllib.request.Request(
        f"{PLAN['uri']}/v1/namespaces/{table['namespace']}/tables/{table['table']}",
        headers={"authorization": f"Bearer {PLAN['token']}", "x-iceberg-access-delegation": "vended-credentials"},
    )
    loaded = json.load(urllib.request.urlopen(request))
    vended = [loaded["config"][f"s3.{name}"] for name in ("access-key-id", "secret-access-key", "session-token")]
    place = loaded["metadata"]["location"].replace("s3://", f"{PLAN['storage']}/")
    metadata = loaded["metadata-location"].split("/metadata/")[1]
    texts = ", ".join(f"'{text}'" for text in (place, *vended))
    return f"icebergS3({texts}, SETTINGS iceberg_metadata_file_path = 'metadata/{metadata}')"


every_table(lambda table: fetch(f"SELECT {quoted(table, '`')} FROM {name_of(table)}"))
hundred_reads(lambda table: int(fetch(f"SELECT count() FROM {name_of(table)}")[0][0]))
