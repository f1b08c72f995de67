import { describe, expect, it } from 'vitest'
import open from '#events/split-work/open.json' with { type: 'json' }
import part from '#events/split-work/part.json' with { type: 'json' }
import stage from '#events/split-work/stage.json' with { type: 'json' }
import { splitWorkEvent } from '#functions/split-work/event.ts'

describe('splitWorkEvent', () => {
  it.each([
    ['a plan of a load', open],
    ['an item of a Map of a load', stage],
    ['a part of an export', part],
  ])('accepts %s', (_what, event) => {
    expect(splitWorkEvent.parse(event)).toEqual(event)
  })

  it.each([
    ['no load', { step: 'open' }],
    ['no job', { ...part, jobId: undefined }],
    ['an unknown step of a load', { ...open, step: 'merge' }],
    ['an unknown step of an export', { ...part, step: 'sort' }],
    ['an item of a load as text', { ...stage, item: '7' }],
    ['an item of an export as text', { ...part, item: '7' }],
    ['no item of a load', { ...stage, item: undefined }],
    ['no item of an export', { ...part, item: undefined }],
  ])('refuses %s', (_what, event) => {
    expect(splitWorkEvent.safeParse(event).success).toBe(false)
  })
})
