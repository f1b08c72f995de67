import { expect, it } from 'vitest'
import { describeEnd } from '#local/machines/describe-end.ts'

const ended = (machine: string, input: unknown, output: unknown) =>
  describeEnd({
    executionArn: `arn:aws:states:us-east-1:0:execution:${machine}:e1`,
    stateMachineArn: `arn:aws:states:us-east-1:0:stateMachine:${machine}`,
    name: 'e1',
    input: JSON.stringify(input),
    startDate: '2026-03-01T12:00:00.000Z',
    stopDate: '2026-03-01T12:00:01.250Z',
    ...(output instanceof Error
      ? { status: 'FAILED', error: output.name, cause: output.message }
      : { status: 'SUCCEEDED', output: JSON.stringify(output) }),
  })

const landed = { detail: { object: { key: 'in.c-main/orders.csv' } } }

it.each([
  [
    'Millrace-Import-Machine',
    landed,
    { tableId: 'in.c-main.orders', results: { importedRowsCount: 3 } },
    'import in.c-main/orders.csv: in.c-main.orders, 3 rows, 1.3 s',
  ],
  [
    'Millrace-Import-Machine',
    landed,
    { outcome: 'ignored', reason: 'the key marks a folder' },
    'import in.c-main/orders.csv: ignored, the key marks a folder, 1.3 s',
  ],
  [
    'Millrace-Import-Machine',
    landed,
    Object.assign(new Error('Line 3, byte 12: an unclosed quote.'), { name: 'invalidCsv' }),
    'import in.c-main/orders.csv: failed after 1.3 s: Line 3, byte 12: an unclosed quote. (invalidCsv)',
  ],
  [
    'Millrace-extract',
    { componentId: 'ex-generic-v2', configId: 'shop' },
    { status: 'success', rowsLoaded: 7, requests: 2 },
    'extract ex-generic-v2/shop: 7 rows, 2 requests, 1.3 s',
  ],
  [
    'Millrace-Export-Machine',
    { tableId: 'in.c-main.orders' },
    { destination: { bucket: 'b', key: 'k.csv' }, bytes: 12 },
    'export in.c-main.orders: s3://b/k.csv, 12 bytes, 1.3 s',
  ],
  ['Millrace-jobs', { jobId: 7 }, {}, undefined],
  ['Millrace-jobs', { jobId: 7 }, new Error('gone'), 'job 7: failed after 1.3 s: gone (Error)'],
  ['other', 'text', 'text', 'other e1: done, 1.3 s'],
])('the end of %s with %j is a line for people', (machine, input, output, line) => {
  expect(ended(machine, input, output)).toBe(line)
})
