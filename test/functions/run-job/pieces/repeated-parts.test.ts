import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { doPiece } from '#functions/run-job/pieces/do-piece.ts'
import { startJobsByHand } from '#support/jobs-by-hand.ts'
import { sweepService } from '#support/sweep-all.ts'

const by = await startJobsByHand()
Object.assign(by.service.jobServices.distribution, { singleExportBytes: 100, exportPartBytes: 800 })
const tableId = await by.createTable()
for (let load = 1; load < 6; load++)
  await by.execute(await by.submitImport(tableId, `n\n${load}\n${load + 10}\n`))

/** A job whose parts the machine has to export. */
const planned = async (body: Record<string, unknown>) => {
  const path = `/v2/storage/tables/${tableId}/export-async`
  const jobId: number = (await by.service.call('POST', path, body)).body.id
  const first = await by.run(jobId)
  if (first.status !== 'export') throw new Error(`The job is ${first.status}`)
  expect(first.parts.length).toBeGreaterThan(2)
  return { jobId, parts: first.parts }
}

const step = (event: Parameters<typeof doPiece>[0]) => doPiece(event, by.service.jobServices.pieces)

const rowsOf = async (jobId: number): Promise<{ lines: string[]; slices: number }> => {
  const { results } = await by.jobOf(jobId)
  const { body: file } = await by.service.call(
    'GET',
    `/v2/storage/files/${results.file.id}?federationToken=1`,
  )
  const { entries } = (await (await fetch(file.url)).json()) as { entries: { url: string }[] }
  const texts = await Promise.all(
    entries.map(async ({ url }) => {
      const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? []
      const { Body } = await by.service.s3.send(new GetObjectCommand({ Bucket, Key }))
      return (await Body?.transformToString()) ?? ''
    }),
  )
  return { lines: texts.join('').trimEnd().split('\n'), slices: entries.length }
}

const numbers = ['0', '1', '11', '2', '12', '3', '13', '4', '14', '5', '15']
const shown = (values: string[]): string[] => values.map(value => `"${value}"`)

it('has each row once when every step runs twice, and the job three times', async () => {
  const { jobId, parts } = await planned({})
  for (const item of [...parts, ...parts.toReversed()]) await step({ step: 'part', jobId, item })
  const ends = [await by.run(jobId), await by.run(jobId)]
  expect(ends).toEqual([{ status: 'done' }, { status: 'done' }])
  expect(await rowsOf(jobId)).toEqual({ lines: shown(numbers), slices: parts.length })
})

it('shows no file before all its parts are there', async () => {
  const { jobId, parts } = await planned({ columns: ['n'] })
  const filesBefore = (await by.service.call('GET', '/v2/storage/files')).body.length
  for (const item of parts) {
    expect(await by.run(jobId)).toMatchObject({ status: 'export' })
    await step({ step: 'part', jobId, item })
  }
  expect((await by.service.call('GET', '/v2/storage/files')).body).toHaveLength(filesBefore)
  await by.execute(jobId)
  expect((await rowsOf(jobId)).lines).toEqual(shown(numbers))
})

it('has the rows of its beginning when the table changes meanwhile, and is not given out for the new ones', async () => {
  const question = { includeInternalTimestamp: false, gzip: false, limit: 1_000 }
  const { jobId, parts } = await planned(question)
  await step({ step: 'part', jobId, item: 0 })
  await by.execute(await by.submitImport(tableId, 'n\nnew\n'))
  // The plan is the one that was made first.
  expect(await by.run(jobId)).toEqual({ status: 'export', parts, correlationId: expect.any(String) })
  await by.execute(jobId)
  expect((await rowsOf(jobId)).lines).toEqual(shown(numbers))
  const again = (await by.service.call('POST', `/v2/storage/tables/${tableId}/export-async`, question)).body
    .id
  await by.execute(again)
  expect((await rowsOf(again)).lines).toEqual(shown([...numbers, 'new']))
  expect((await by.jobOf(again)).results.cacheHit).toBe(false)
})

it('leaves nothing but its slices a day after it ended', async () => {
  const { service, clock } = by
  const left = async () => {
    const { Contents = [] } = await service.s3.send(
      new ListObjectsV2Command({ Bucket: service.tablesBucket, Prefix: 'tables/staging/' }),
    )
    return Contents.length
  }
  expect(await left()).toBeGreaterThan(5)
  // What is in S3 has the time of this machine.
  clock.time = new Date(Date.now() + 30 * 3_600_000)
  await sweepService(service, () => clock.time)
  clock.time = new Date(clock.time.getTime() + 30 * 3_600_000)
  await sweepService(service, () => clock.time)
  expect(await left()).toBe(0)
})
