import { describe, expect, it } from 'vitest'
import { startStorageService } from '#support/storage-service.ts'
import { untilEnd } from '#support/until-end.ts'

const service = await untilEnd(startStorageService())
await service.createBucket('main')

const linesOf = async (jobId: number) => {
  await service.jobsEnded()
  return service.jobLog.filter(line => line['jobId'] === jobId && /^job /.test(String(line['message'])))
}

describe('a job', () => {
  it('writes one line when it starts and one when it ends, with table, rows and seconds, and is counted once', async () => {
    const dataFileId = await service.upload('id\n1\n2\n')
    const headers = { 'X-KBC-RunId': 'run-7' }
    const body = { name: 'orders', dataFileId }
    const path = '/v2/storage/buckets/in.c-main/tables-async'
    const { body: job } = await service.call('POST', path, body, headers)
    const facts = { correlationId: 'run-7', jobId: job.id, operation: 'tableCreate' }
    expect(await linesOf(job.id)).toMatchObject([
      { message: 'job started', ...facts },
      { message: 'job ended', ...facts, outcome: 'success', rows: 2, seconds: expect.any(Number) },
    ])
    expect(service.counted.filter(({ operation }) => operation === 'tableCreate')).toEqual([
      {
        operation: 'tableCreate',
        isSuccess: true,
        rows: 2,
        bytes: expect.any(Number),
        seconds: expect.any(Number),
        waitSeconds: expect.any(Number),
      },
    ])
  })

  it('that fails says why', async () => {
    const dataFileId = await service.upload('id,city\n1\n')
    const { body: job } = await service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', {
      name: 'ragged',
      dataFileId,
    })
    const [, ended] = await linesOf(job.id)
    expect(ended).toMatchObject({
      outcome: 'error',
      correlationId: `job-${job.id}`,
      code: job.error.code,
      reason: expect.stringMatching(/line 2/),
    })
    expect(service.counted.at(-1)).toMatchObject({ isSuccess: false, rows: 0, bytes: 0 })
  })
})
