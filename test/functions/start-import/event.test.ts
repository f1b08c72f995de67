import { describe, expect, it } from 'vitest'
import { partsToMove } from '#functions/start-import/start-import.ts'
import { stepEvent } from '#lib/drive/step.ts'
import { landedObject } from '#lib/landed-object.ts'
import { eventFile } from '../../support/events.ts'

const read = (name: string) => stepEvent.parse(eventFile(`start-import/${name}.json`))
const landedIn = (name: string) => landedObject.parse(read(name).input)

describe('input of start-import', () => {
  it('reads an "Object Created" event of a versioned bucket', () => {
    expect(landedIn('object-created')).toEqual({
      bucket: 'millrace-landing',
      key: 'in.c-main/Aufträge 2026.csv',
      versionId: 'IYV3p45BT0ac8hjHg1houSdS1a.Mro8e',
      sequencer: '00617F08299329D189',
    })
  })

  it('reads an event of a bucket without versions', () => {
    expect(landedIn('object-created-unversioned')).toMatchObject({
      key: 'in.c-main/orders/2026-11.csv.gz',
      versionId: undefined,
    })
  })

  it('reads the short form that a person types', () => {
    expect(landedIn('named-object')).toEqual({ bucket: 'millrace-landing', key: 'in.c-main/orders.csv' })
  })

  it('reads the failure path', () => {
    expect(read('failed').failure?.Error).toBe('csvImport.columnsNotMatch')
  })

  it('reads the parts that one of several functions is to move', () => {
    expect(partsToMove.parse(read('move-range').part)).toEqual({ from: 1, to: 256 })
    expect(landedIn('move-range').versionId).toBe('v1')
  })

  it('refuses an event of another kind', () => {
    expect(landedObject.safeParse(read('object-deleted').input).success).toBe(false)
  })

  it.each(['bucket', 'object'])('refuses an event without its %s', field => {
    // The file read by the first test has this shape.
    const input = structuredClone(read('object-created').input) as { detail: Record<string, unknown> }
    delete input.detail[field]
    expect(landedObject.safeParse(input).success).toBe(false)
  })
})
