import { describe, expect, it } from 'vitest'
import { timeAfter } from '#lib/storage/tables/table-record.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, clock, execute, createTable, submitImport } = await startJobsByHand()

describe('rule 17, the time of a table never goes back', () => {
  it.each([
    [
      'above the change before',
      '2026-01-01T00:00:02.000Z',
      '2026-01-01T00:00:01.000Z',
      '2026-01-01T00:00:02.000Z',
    ],
    ['at it', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.001Z'],
    ['minutes behind it', '2026-01-01T00:00:00.000Z', '2026-01-01T00:05:00.000Z', '2026-01-01T00:05:00.001Z'],
    ['of a table that has not changed', '2026-01-01T00:00:00.000Z', null, '2026-01-01T00:00:00.000Z'],
  ])('by a clock %s', (_, time, lastChangeDate, expected) => {
    expect(timeAfter(new Date(time), { lastChangeDate }).toISOString()).toBe(expected)
  })

  it('where processes load whose clocks disagree, and who asks for what came since finds each load', async () => {
    const tableId = await createTable()
    const start = clock.time.getTime()
    let last = (await service.stores.tables.getHead(tableId))?.lastImportDate ?? ''
    for (const [row, minutes] of [5, 0, 3, -4, 1].entries()) {
      clock.time = new Date(start + minutes * 60_000)
      await execute(await submitImport(tableId, `n\nrow ${row}\n`))
      const since = encodeURIComponent(new Date(Date.parse(last) + 1).toISOString())
      const path = `/v2/storage/tables/${tableId}/data-preview?changedSince=${since}`
      const { text } = await service.call('GET', path)
      expect(text.trimEnd().split('\n').slice(1)).toEqual([`"row ${row}"`])
      const head = await service.stores.tables.getHead(tableId)
      expect((head?.lastImportDate ?? '') > last).toBe(true)
      expect(head?.lastChangeDate).toBe(head?.lastImportDate)
      last = head?.lastImportDate ?? ''
    }
  })
})
