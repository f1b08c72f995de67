import { describe, expect, it } from 'vitest'
import gone from '#events/run-job/execution-gone.json' with { type: 'json' }
import accepted from '#events/run-job/job-accepted.json' with { type: 'json' }
import failed from '#events/run-job/job-failed.json' with { type: 'json' }
import part from '#events/run-job/part.json' with { type: 'json' }
import { jobStep, type RunJobEvent, type RunJobResult } from '#functions/run-job/run-job.ts'
import { stepEvent } from '#lib/drive/step.ts'

const asked: RunJobEvent[] = []
const done: unknown[] = []
const step = (event: unknown, result: RunJobResult = { status: 'done' }) =>
  jobStep(stepEvent.parse(event), {
    run: async given => {
      asked.push(given)
      return result
    },
    documents: { read: async () => ({ groups: [] }) as never }, // Of a stage that has nothing to do.
    doPiece: async piece => void done.push(piece),
  })

const jobId = accepted.input.jobId

describe('a step of a job', () => {
  it('does it', async () => {
    expect(await step(accepted)).toMatchObject({ next: 'done' })
    expect(asked.at(-1)).toEqual({ jobId })
  })

  it('or a piece of it, whose result is nobody’s', async () => {
    expect(await step(part)).toBeUndefined()
    expect(done).toEqual([
      { step: 'part', jobId: part.input.jobId, correlationId: part.state.correlationId, item: 3 },
    ])
  })

  it('closes it when a step failed for good, and fails with the reason', async () => {
    const failure = { code: 'Lambda.Unknown', message: 'killed' }
    expect(await step(failed, { status: 'done', failure })).toEqual({ next: 'failed', failure })
    expect(asked.at(-1)).toEqual({ jobId, failure: failed.failure })
  })

  it('succeeds when what failed was done', async () => {
    expect(await step(failed, { status: 'done', wasDone: true })).toMatchObject({ next: 'done' })
  })

  it('reads why the execution was started to close its job', async () => {
    await step(gone)
    expect(asked.at(-1)).toEqual({ jobId, failure: gone.input.failure })
  })

  it('has an outgrown load opened first, and runs the job when its last stage is done', async () => {
    const load = { internalId: 1, jobId }
    const state = { load, stage: 'open' }
    expect(await step(accepted, { status: 'distribute', load })).toEqual({ next: 'each', parts: [0], state })
    const runs = asked.length
    expect(await step({ ...accepted, state })).toMatchObject({ next: 'each', state: { stage: 'cut' } })
    expect(asked).toHaveLength(runs)
    expect(await step({ ...accepted, state: { load, stage: 'stage' } })).toMatchObject({ next: 'done' })
  })

  it.each([
    ['no job', {}],
    ['a job id as text', { jobId: '1' }],
    ['a fraction', { jobId: 1.5 }],
    ['a failure without its name', { jobId, failure: { Cause: 'x' } }],
  ])('refuses %s', async (_what, input) => {
    await expect(step({ ...accepted, input })).rejects.toMatchObject({ code: 'event.invalid' })
  })
})
