import { expect, it } from 'vitest'
import { createExportCache } from '#lib/storage/tables/export-cache.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

it('does not find an export whose time is over, though its item is still there', async () => {
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  const items = createMemoryItemTable()
  const cache = createExportCache(items, () => clock.now)
  // Of a head the cache reads nothing else.
  const table = { internalId: 'table-1', revision: 4 } as unknown as TableHead
  await items.transact([cache.remembering(table, { format: 'rfc' }, 7)])
  expect(await cache.findFileId(table, { format: 'rfc' })).toBe(7)
  clock.now = new Date('2026-01-04T00:00:00Z')
  expect(await cache.findFileId(table, { format: 'rfc' })).toBeUndefined()
})
