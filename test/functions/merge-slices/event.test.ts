import { describe, expect, it } from 'vitest'
import { type MergeSlicesEvent, mergeSlicesEvent } from '#functions/merge-slices/event.ts'
import { eventFile } from '../../support/events.ts'

const destination = { bucket: 'exports', key: 'orders.csv', overwrite: true }

/** The same event with other fields in its input. */
const changed = (change: Record<string, unknown>): unknown => {
  const event = eventFile('merge-slices/request-table.json') as { input: object } // Read from this very file.
  return { ...event, input: { ...event.input, ...change } }
}

describe('a step', () => {
  it.each<[string, object]>([
    ['request-table', { input: { tableId: 'in.c-main.orders', destination, gzip: false, header: true } }],
    ['request-file', { input: { fileId: 123, destination } }],
    ['plan', { fileId: 123, input: { gzip: true, header: true, destination: { overwrite: false } } }],
    ['convert', { from: 1, to: 1 }],
    ['copy', { from: 1, to: 250 }],
    ['complete', {}],
    ['abort', {}],
  ])('%s is read', (name, expected) => {
    const event = mergeSlicesEvent.parse(eventFile(`merge-slices/${name}.json`)) as MergeSlicesEvent
    expect(event).toMatchObject(expected)
    expect(name).toContain(event.step)
  })

  it.each<[string, Record<string, unknown>]>([
    ['both a table and a file', { fileId: 1 }],
    ['an option that nobody knows', { compress: true }],
    ['no destination', { destination: undefined }],
    ['a destination without a key', { destination: { bucket: 'exports' } }],
    ['a key among the work', { destination: { bucket: 'exports', key: '.work/x' } }],
    ['a key of more than 1,024 bytes', { destination: { bucket: 'exports', key: 'ü'.repeat(513) } }],
    ['no columns at all', { columns: [] }],
  ])('with %s is refused', (_, change) => {
    expect(mergeSlicesEvent.safeParse(changed(change)).success).toBe(false)
  })
})
