import { expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startImport } from '#support/told-import.ts'
import { startLanding } from '../../support/landing.ts'
import { startStorageService } from '../../support/storage-service.ts'

/** docs/limits.md has them, with what they cost. */
const CALLS = 14

it(`an import of one small file calls the database ${CALLS} times, from the upload to the end of its job`, async () => {
  const started: number[] = []
  const service = await startStorageService({
    jobWaitMs: 0,
    startJob: async ({ id: jobId }) => {
      if (!started.includes(jobId)) started.push(jobId)
      return 'running'
    },
  })
  const landing = await startLanding({ service })
  try {
    const land = async (file: number): Promise<void> => {
      const content = `id,v\n${file},a\n`
      const event = await landing.land(`in.c-main/t/${file}.csv`, content, { incremental: '1' })
      const { jobId } = await startImport(landing.dependencies, {
        event,
        execution: landing.newExecution(),
      })
      for (let id = started.shift(); id !== undefined; id = started.shift())
        await runJob({ jobId: id }, service.jobServices)
      expect((await landing.storage.job(jobId ?? 0)).status).toBe('success')
    }
    await land(1)
    await land(2)
    let calls = 0
    for (const [name, send] of Object.entries(service.itemStore))
      Object.assign(service.itemStore, {
        [name]: (...given: unknown[]): unknown => {
          calls++
          return send(...given)
        },
      })
    await land(3)
    expect(calls).toBe(CALLS)
  } finally {
    await landing.close()
    await service.close()
  }
})
