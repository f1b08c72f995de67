import { expect, it } from 'vitest'
import { isOfJob, runAsJob } from '#functions/run-extractor/run-as-job.ts'
import type { StepEvent } from '#lib/drive/step.ts'
import { UserError } from '#lib/errors/errors.ts'

const started: unknown[] = []
const told: { message: string }[] = []
const since = new Date('2026-11-28T00:00:00Z')

const step = (given: Partial<StepEvent> = {}): StepEvent => ({
  input: {
    componentId: 'ex-generic-v2',
    configId: 'shop',
    authorTokenId: '7',
    tokenIds: ['8'],
    overlap: 'skip',
  },
  execution: 'arn:aws:states:x:1:execution:extract:nightly',
  since,
  state: null,
  job: null,
  stepsLeft: 1,
  ...given,
})

const act = (event: StepEvent, job: object | Error) =>
  runAsJob(event, {
    storageOf: () => ({
      runConfiguration: async (...asked: unknown[]) => {
        started.push(asked)
        if (job instanceof Error) throw job
        return job as never
      },
      job: async id => ({ id, ...job }) as never,
      postEvent: async event => void told.push(event),
    }),
    now: () => since,
    log: { warn: () => {} },
  })

it.each([
  ['of a job that is named after it', { jobId: 5 }, 'run-5', true],
  ['of another job, which was started again', { jobId: 5 }, 'redrive-1', false],
  ['of a schedule', {}, 'run-5', false],
])('an execution %s', (_, input, name, isRun) => {
  const execution = `arn:aws:states:x:1:execution:extract:${name}`
  expect(isOfJob({ input: { componentId: 'c', configId: 'd', ...input }, execution })).toBe(isRun)
})

it('asks for one job under its own name, with the least rights of all that it names, and waits for it', async () => {
  expect(await act(step(), { id: 5, status: 'waiting' })).toMatchObject({
    next: 'again',
    waitsFor: ['run-5'],
    state: { jobId: 5 },
  })
  expect(started).toEqual([
    [{ componentId: 'ex-generic-v2', configId: 'shop', overlap: 'skip', tokenIds: ['7', '8'] }, 'nightly'],
  ])
})

it.each([
  [
    { status: 'success', results: { rowsLoaded: 1 } },
    { next: 'done', output: { rowsLoaded: 1 } },
  ],
  [
    { status: 'error', error: { code: 'extractor.http', message: 'no' } },
    { next: 'failed', failure: { code: 'extractor.http', message: 'no' }, details: { jobId: 5 } },
  ],
])('ends as its job does: %j', async (job, answer) => {
  expect(await act(step({ state: { jobId: 5 } }), job)).toEqual(answer)
})

it('that is not to wait for another run is skipped, and one that is refused says so in an event', async () => {
  expect(await act(step(), new UserError('storage.runs.underWay', 'One runs.'))).toMatchObject({
    next: 'done',
    output: { status: 'skipped' },
  })
  expect(told).toEqual([])
  const gone = new UserError('notFound', 'There is none.')
  expect(await act(step(), gone)).toMatchObject({ next: 'failed', failure: { code: 'notFound' } })
  expect(told).toMatchObject([
    { configurationId: 'shop', type: 'error', message: expect.stringMatching(/none/) },
  ])
})
