import { describe, expect, it } from 'vitest'
import order from '#events/export-parts/order.json' with { type: 'json' }
import part from '#events/export-parts/part.json' with { type: 'json' }
import { exportPartsEvent } from '#functions/export-parts/event.ts'

describe('exportPartsEvent', () => {
  it.each([
    ['a part', part],
    ['a range', { ...part, step: 'range' }],
    ['the step between them', order],
  ])('accepts %s', (_what, event) => {
    expect(exportPartsEvent.parse(event)).toEqual(event)
  })

  it.each([
    ['no job', { step: 'order' }],
    ['an unknown step', { ...order, step: 'sort' }],
    ['an item as text', { ...part, item: '7' }],
    ['no item', { ...part, item: undefined }],
  ])('refuses %s', (_what, event) => {
    expect(exportPartsEvent.safeParse(event).success).toBe(false)
  })
})
