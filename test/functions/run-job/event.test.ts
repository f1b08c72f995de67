import { describe, expect, it } from 'vitest'
import gone from '#events/run-job/execution-gone.json' with { type: 'json' }
import accepted from '#events/run-job/job-accepted.json' with { type: 'json' }
import failed from '#events/run-job/job-failed.json' with { type: 'json' }
import { runJobEvent } from '#functions/run-job/event.ts'

describe('runJobEvent', () => {
  it.each([
    ['a first run', accepted],
    ['a failure that the machine caught', failed],
  ])('accepts %s', (_what, event) => {
    expect(runJobEvent.parse(event)).toEqual(event)
  })

  it('reads why the execution was started to close its job', () => {
    expect(runJobEvent.parse(gone).startedWith).toEqual({ failure: gone.startedWith.failure })
  })

  it.each([
    ['no job', {}],
    ['a job id as text', { jobId: '1' }],
    ['a fraction', { jobId: 1.5 }],
    ['a failure without its name', { ...failed, failure: { Cause: 'x' } }],
  ])('refuses %s', (_what, event) => {
    expect(runJobEvent.safeParse(event).success).toBe(false)
  })
})
