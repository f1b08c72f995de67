import { describe, expect, it } from 'vitest'
import { castValue } from '#lib/extractor/tables/records/cast-fields.ts'
import { parseJson } from '#lib/json/parse-json.ts'

type To = Parameters<typeof castValue>[0]['to']

/** `undefined`: impossible. The value is JSON, so that numbers keep their text. */
const table: [To, string | undefined, string, string | null | undefined][] = [
  ['integer', undefined, '7', '7'],
  ['integer', undefined, '" 007 "', '7'],
  ['integer', undefined, '"-0"', '0'],
  ['integer', undefined, '4.0', '4'],
  ['integer', undefined, '12e2', '1200'],
  ['integer', undefined, '"1200e-2"', '12'],
  ['integer', undefined, '9223372036854775807', '9223372036854775807'],
  ['integer', undefined, '9223372036854775808', undefined],
  ['integer', undefined, '"1e999999"', undefined],
  ['integer', undefined, '1.5', undefined],
  ['integer', undefined, 'true', undefined],
  ['integer', undefined, '""', null],
  ['integer', undefined, 'null', null],
  ['integer', undefined, '[1]', undefined],
  ['number', undefined, '1.50', '1.50'],
  ['number', undefined, '"+.5"', '0.5'],
  ['number', undefined, '"1,5"', undefined],
  ['number', undefined, '"."', undefined],
  ['number', undefined, '1e400', undefined],
  ['number', undefined, '"NaN"', undefined],
  ['number', '5,2', '"999.9900"', '999.99'],
  ['number', '5,2', '1000', undefined],
  ['number', '5,2', '0.001', undefined],
  ['number', '2,2', '-0.25', '-0.25'],
  ['number', '5,2', '0.0', '0'],
  ['boolean', undefined, 'true', 'true'],
  ['boolean', undefined, '0', 'false'],
  ['boolean', undefined, '"Yes"', 'true'],
  ['boolean', undefined, '2', undefined],
  ['date', undefined, '"2026-03-01"', '2026-03-01'],
  ['date', undefined, '"2026-03-01T23:30:00-05:00"', '2026-03-01'],
  ['date', undefined, '"2026-02-29"', undefined],
  ['date', undefined, '"1.3.2026"', undefined],
  ['date', 'j.n.Y', '"1.3.2026"', '2026-03-01'],
  ['date', 'm/d/y', '"03/01/69"', '2069-03-01'],
  ['date', 'd F Y', '"01 march 2026"', '2026-03-01'],
  ['date', 'U', '1772352000', '2026-03-01'],
  ['timestamp', undefined, '"2026-03-01T08:00:00Z"', '2026-03-01 08:00:00'],
  ['timestamp', undefined, '"2026-03-01T23:30:00.1230-05:00"', '2026-03-02 04:30:00.123'],
  ['timestamp', undefined, '"2026-03-01 08:00"', '2026-03-01 08:00:00'],
  ['timestamp', undefined, '"2026-03-01T24:00:00Z"', undefined],
  ['timestamp', undefined, '"2026-03-01T08:00:00.123456789Z"', '2026-03-01 08:00:00.123456'],
  ['timestamp', undefined, '1772352000', undefined],
  ['timestamp', 'Uv', '1772352000250', '2026-03-01 08:00:00.25'],
  ['timestamp', 'Uv', '-1', undefined],
  ['timestamp', 'd.m.Y g:i A O', '"01.03.2026 12:05 AM +0100"', '2026-02-28 23:05:00'],
  ['timestamp', 'd.m.Y g:i A', '"01.03.2026 13:05 AM"', undefined],
  ['timestamp', 'Y-m-d\\TH\\hi', '"2026-03-01T08h05"', '2026-03-01 08:05:00'],
  ['timestamp', 'H:i (Y)', '"08:05 (2026)"', '2026-01-01 08:05:00'],
  ['string', undefined, '1.50', '1.50'],
  ['string', undefined, 'true', 'true'],
  ['string', undefined, '{"2":1,"1":2}', '{"2":1,"1":2}'],
  ['string', undefined, '""', ''],
]

describe('a cast', () => {
  it.each(table)('to %s (%s) makes of %s %s', (to, format, json, expected) => {
    expect(castValue({ to, format })(parseJson(json))).toBe(expected)
  })
})
