import { describe, expect, it } from 'vitest'
import { startImportEvent } from '#functions/start-import/event.ts'
import { eventFile } from '../../support/events.ts'

describe('input of start-import', () => {
  it('reads an "Object Created" event of a versioned bucket', () => {
    expect(startImportEvent.parse(eventFile('start-import/object-created.json'))).toEqual({
      event: {
        bucket: 'millrace-landing',
        key: 'in.c-main/Aufträge 2026.csv',
        versionId: 'IYV3p45BT0ac8hjHg1houSdS1a.Mro8e',
        sequencer: '00617F08299329D189',
      },
      execution: 'arn:aws:states:eu-central-1:111122223333:execution:ImportMachine:17793124',
    })
  })

  it('reads an event of a bucket without versions', () => {
    const { event } = startImportEvent.parse(eventFile('start-import/object-created-unversioned.json'))
    expect(event).toMatchObject({ key: 'in.c-main/orders/2026-11.csv.gz', versionId: undefined })
  })

  it('reads the short form that a person types', () => {
    const { event } = startImportEvent.parse(eventFile('start-import/named-object.json'))
    expect(event).toEqual({ bucket: 'millrace-landing', key: 'in.c-main/orders.csv' })
  })

  it('reads the failure path', () => {
    const { failure } = startImportEvent.parse(eventFile('start-import/failed.json'))
    expect(failure?.Error).toBe('csvImport.columnsNotMatch')
  })

  it('reads the parts that one of several functions is to move', () => {
    const { move, event } = startImportEvent.parse(eventFile('start-import/move-range.json'))
    expect(move).toEqual({ from: 1, to: 256 })
    expect(event.versionId).toBe('v1')
  })

  it('refuses an event of another kind', () => {
    expect(startImportEvent.safeParse(eventFile('start-import/object-deleted.json')).success).toBe(false)
  })

  it.each(['bucket', 'object'])('refuses an event without its %s', field => {
    const input = structuredClone(eventFile('start-import/object-created.json')) as {
      event: { detail: Record<string, unknown> } // The file read by the first test has this shape.
    }
    delete input.event.detail[field]
    expect(startImportEvent.safeParse(input).success).toBe(false)
  })
})
