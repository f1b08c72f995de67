"""The extraction of extractor-api.ts as a tap of Singer's SDK: its messages, as taps print them, into a file."""

import sys

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.pagination import BaseOffsetPaginator

origin, folder = sys.argv[1:]
LIMIT = 100


class Offsets(BaseOffsetPaginator):
    def has_more(self, response):
        return len(response.json()) > 0


class Rows(RESTStream):
    name = "rows"
    path = "/rows"
    url_base = origin
    primary_keys = ("id",)
    schema = th.PropertiesList(
        th.Property("id", th.IntegerType),
        *(
            th.Property(name, th.StringType)
            for name in ("uuid", "name", "email", "city", "status", "note", "created_at", "tracking")
        ),
        th.Property("amount", th.NumberType),
        th.Property("latitude", th.NumberType),
        th.Property("active", th.BooleanType),
        th.Property(
            "address",
            th.ObjectType(
                th.Property("street", th.StringType),
                th.Property("zip", th.IntegerType),
                th.Property("country", th.StringType),
            ),
        ),
        th.Property("tags", th.ArrayType(th.StringType)),
    ).to_dict()

    def get_new_paginator(self):
        return Offsets(start_value=0, page_size=LIMIT)

    def get_url_params(self, context, next_page_token):
        return {"limit": LIMIT, "offset": next_page_token or 0}


class Bench(Tap):
    name = "tap-bench"
    config_jsonschema = th.PropertiesList().to_dict()

    def discover_streams(self):
        return [Rows(self)]


sys.stdout = open(f"{folder}/messages.jsonl", "w", encoding="utf-8")
Bench(config={}).sync_all()
sys.stdout.close()
sys.stdout = sys.__stdout__
