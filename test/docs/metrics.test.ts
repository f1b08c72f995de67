import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { metricUnits } from '#lib/cloud/metric-units.ts'

const PAGE = join(import.meta.dirname, '../../docs/operations.md')

it('every metric is described with its unit, and no other', async () => {
  const rows = (await readFile(PAGE, 'utf8')).matchAll(/^\| `(\w+)` \| (Count|Bytes|Seconds) \|/gm)
  expect(Object.fromEntries([...rows].map(([, name, unit]) => [name, unit]))).toEqual(metricUnits)
})
