import { describe, expect, it } from 'vitest'
import { exportInput } from '#functions/merge-slices/event.ts'
import { stepEvent } from '#lib/drive/step.ts'
import { eventFile } from '../../support/events.ts'

const destination = { bucket: 'exports', key: 'orders.csv', overwrite: true }

/** The same input with other fields. */
const changed = (change: Record<string, unknown>): unknown => {
  const event = eventFile('merge-slices/request-table.json') as { input: object } // Read from this very file.
  return { ...event.input, ...change }
}

describe('a step', () => {
  it.each<[string, object]>([
    ['request-table', { state: null }],
    ['request-file', { state: null }],
    ['plan', { job: { status: 'success', results: { file: { id: 123 } } } }],
    ['copy', { part: { from: 1, to: 250 } }],
    ['complete', { state: { begun: 'copy' } }],
    ['failed', { failure: { Error: expect.any(String) } }],
  ])('%s is read', (name, expected) => {
    expect(stepEvent.parse(eventFile(`merge-slices/${name}.json`))).toMatchObject(expected)
  })

  it.each<[string, object]>([
    ['a table', { tableId: 'in.c-main.orders', destination, gzip: false, header: true }],
    ['a file', { fileId: 123, destination }],
  ])('asks for %s', (what, expected) => {
    const { input } = stepEvent.parse(eventFile(`merge-slices/request-${what.slice(2)}.json`))
    expect(exportInput.parse(input)).toMatchObject(expected)
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
    expect(exportInput.safeParse(changed(change)).success).toBe(false)
  })

  it('with another compression than that of its file is refused', () => {
    expect(exportInput.safeParse({ fileId: 1, destination }).success).toBe(true)
    expect(exportInput.safeParse({ fileId: 1, destination, gzip: true }).success).toBe(false)
  })
})
