import { describe, expect, it } from 'vitest'
import open from '#events/run-job/open.json' with { type: 'json' }
import part from '#events/run-job/part.json' with { type: 'json' }
import stage from '#events/run-job/stage.json' with { type: 'json' }
import { pieceOf } from '#functions/run-job/pieces/piece.ts'
import { stepEvent } from '#lib/drive/step.ts'

const read = (event: unknown) => pieceOf(stepEvent.parse(event))

describe('a piece of work', () => {
  it.each([
    ['a plan of a load', open, { step: 'open', load: open.state.load, item: 0 }],
    ['an item of a load', stage, { step: 'stage', load: stage.state.load, item: 7 }],
    [
      'a part of an export',
      part,
      { step: 'part', jobId: part.input.jobId, correlationId: part.state.correlationId, item: 3 },
    ],
  ])('is %s', (_what, event, expected) => {
    expect(read(event)).toEqual(expected)
  })

  it.each([
    ['no load', { ...open, state: { stage: 'open' } }],
    ['no job', { ...part, input: {} }],
    ['an unknown stage of a load', { ...open, state: { ...open.state, stage: 'merge' } }],
    ['an item as text', { ...stage, part: '7' }],
    ['no item', { ...stage, part: undefined }],
  ])('with %s is refused', (_what, event) => {
    expect(() => read(event)).toThrow(expect.objectContaining({ code: 'event.invalid' }))
  })
})
