import { expect, it, vi } from 'vitest'
import { runConfiguration } from '#functions/run-job/operations/run-configuration.ts'
import type { ProcessingJob } from '#lib/storage/jobs/job-record.ts'

const input = { operationName: 'configurationRun', componentId: 'ex-generic-v2', configId: 'shop' } as const
const job = {
  id: 7,
  input,
  operationParams: { version: 1 },
  creatorToken: { id: '1', description: 'test' },
  startTime: '2026-07-16T00:00:00.000Z',
} as unknown as ProcessingJob

const look = async (asked: () => Promise<Partial<ProcessingJob>>) => {
  const stop = vi.fn(async () => {})
  const describe = async () => ({ status: 'running', execution: 'run-7' })
  const extractRuns = { start: async () => {}, stop, describe } as never
  const jobs = { get: asked } as never
  const now = () => new Date('2026-07-16T00:01:00Z')
  const outcome = await runConfiguration(job, input, { extractRuns, jobs, now }).catch(thrown => thrown)
  return { stop, outcome }
}

it('a run is stopped when somebody has asked for its end', async () => {
  const { stop, outcome } = await look(async () => ({ status: 'processing', cancelledBy: 'somebody' }))
  expect(stop).toHaveBeenCalledExactlyOnceWith(7, expect.objectContaining({ code: 'storage.jobs.cancelled' }))
  expect(outcome).toMatchObject({ waitsFor: ['run-7'] })
})

it('rule 9: a run whose rows are being loaded is not stopped', async () => {
  const { stop, outcome } = await look(async () => ({
    status: 'processing',
    cancelledBy: 'somebody',
    isLoading: true,
  }))
  expect(stop).not.toHaveBeenCalled()
  expect(outcome).toMatchObject({ waitsFor: ['run-7'] })
})

it('a run goes on when nobody could be asked whether its end is wanted', async () => {
  const throttled = new Error('throttled')
  const { stop, outcome } = await look(() => Promise.reject(throttled))
  expect(stop).not.toHaveBeenCalled()
  expect(outcome).toBe(throttled)
})
