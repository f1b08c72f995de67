import { afterEach, expect, it, vi } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { faults, newName, execute, submitCreate, jobOf } = await startJobsByHand()
afterEach(() => vi.restoreAllMocks())

it('a load that takes longer says how many rows it has read, until it has ended', async () => {
  const jobId = await submitCreate(newName(), 'n\n1\n2\n')
  expect(await jobOf(jobId)).not.toHaveProperty('progress')
  faults.duringLoad = async ({ onRows }) => {
    const later = Date.now() + 5_000
    vi.spyOn(Date, 'now').mockReturnValue(later)
    onRows?.(2)
    vi.restoreAllMocks()
    await eventually(async () =>
      expect(await jobOf(jobId)).toMatchObject({
        status: 'processing',
        progress: { rows: 2, at: expect.stringContaining('2026-07-16T') },
      }),
    )
  }
  await execute(jobId)
  faults.duringLoad = async () => {}
  const ended = await jobOf(jobId)
  expect(ended).toMatchObject({ status: 'success' })
  expect(ended).not.toHaveProperty('progress')
})
