import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pollJobEvent, pollOf } from '#functions/poll-job/handler.ts'
import { waitSecondsAt } from '#lib/storage-client/wait-seconds-at.ts'
import { eventFile } from '../../support/events.ts'

describe('input of poll-job', () => {
  it('reads the job and the start of the waiting', () => {
    expect(pollJobEvent.parse(eventFile('poll-job/poll.json'))).toEqual({
      jobId: 348234987234816,
      execution: 'arn:aws:states:us-east-1:000000000000:execution:ImportMachine:8f1c',
      since: new Date('2026-11-12T00:00:00.123Z'),
    })
  })

  it('needs the start of the waiting', () => {
    expect(pollJobEvent.safeParse(eventFile('poll-job/without-start.json')).success).toBe(false)
  })
})

describe('seconds until the next poll', () => {
  it.each([
    [0, 1],
    [7, 1],
    [8, 2],
    [60, 15],
    [240, 60],
    [6_000, 60],
    [86_400, 864],
    [-5, 1],
  ])('at an age of %d s: %d', (age, seconds) => {
    expect(waitSecondsAt(age)).toBe(seconds)
  })

  it('grow with the age, as whole seconds', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (a, b) => {
          const [younger, older] = [waitSecondsAt(Math.min(a, b)), waitSecondsAt(Math.max(a, b))]
          return younger <= older && Number.isInteger(younger) && Number.isInteger(older)
        },
      ),
    )
  })

  it('a job of an hour is polled fewer than 100 times', () => {
    let polls = 0
    for (let age = 0; age < 3600; age += waitSecondsAt(age)) polls += 1
    expect(polls).toBeLessThan(100)
  })
})

describe('the result of a poll', () => {
  const base = { id: 7, url: 'http://127.0.0.1/v2/storage/jobs/7', operationParams: {} }

  it.each([
    ['processing', 5],
    // Others come before it.
    ['waiting', 10],
  ] as const)('%s: wait', (status, waitSeconds) => {
    expect(pollOf({ ...base, status }, 20)).toEqual({
      status,
      jobId: 7,
      isFinished: false,
      waitSeconds,
    })
  })

  it('success: the results', () => {
    const results = { importedColumns: ['id'] }
    expect(pollOf({ ...base, status: 'success', results }, 20)).toEqual({
      status: 'success',
      jobId: 7,
      isFinished: true,
      results,
    })
  })

  it('success with results larger than a state may carry: without them', () => {
    const results = { columns: Array.from({ length: 1000 }, (_, index) => `${index}`.repeat(100)) }
    expect(pollOf({ ...base, status: 'success', results }, 20)).toMatchObject({
      status: 'success',
      results: null,
    })
  })

  it('error: code and message', () => {
    const error = { code: 'invalidCsv', message: 'Line 3: …', exceptionId: 'x' }
    expect(pollOf({ ...base, status: 'error', error }, 20)).toMatchObject({
      isFinished: true,
      error: { code: 'invalidCsv', message: 'Line 3: …' },
    })
  })

  it('error without a code gets one', () => {
    const error = { code: null, message: 'broken', exceptionId: null }
    expect(pollOf({ ...base, status: 'error', error }, 20)).toMatchObject({
      error: { code: 'storage.jobFailed' },
    })
  })
})
