import { describe, expect, it } from 'vitest'
import open from '#events/stage-load/open.json' with { type: 'json' }
import stage from '#events/stage-load/stage.json' with { type: 'json' }
import { stageLoadEvent } from '#functions/stage-load/event.ts'

describe('stageLoadEvent', () => {
  it.each([
    ['a plan', open],
    ['an item of a Map', stage],
  ])('accepts %s', (_what, event) => {
    expect(stageLoadEvent.parse(event)).toEqual(event)
  })

  it.each([
    ['no load', { step: 'open' }],
    ['an unknown step', { ...open, step: 'merge' }],
    ['an item as text', { ...stage, item: '7' }],
    ['no item', { ...stage, item: undefined }],
  ])('refuses %s', (_what, event) => {
    expect(stageLoadEvent.safeParse(event).success).toBe(false)
  })
})
