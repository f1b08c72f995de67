import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { Crash, startJobsByHand } from '../../support/jobs-by-hand.ts'
import { stride } from '../../support/thorough.ts'

const { service, bucketId, faults, execute, jobOf, newName, run, rowsOf, submitImport } =
  await startJobsByHand()

/** More than one transaction has room for. */
const columns = Array.from({ length: 30 }, (_, index) => `c${index}`)

const createDescribed = async (): Promise<string> => {
  const name = newName()
  const types = columns.map(column => ({ name: column, definition: { type: 'STRING' } }))
  const path = `/v2/storage/buckets/${bucketId}/tables-definition`
  const { body } = await service.call('POST', path, { name, columns: types })
  await execute(body.id)
  const tableId = `${bucketId}.${name}`
  const metadata = [{ key: 'unit', value: 'km' }]
  const columnsMetadata = { c1: [{ key: 'unit', value: 'm', columnName: 'c1' }] }
  await service.call('POST', `/v2/storage/tables/${tableId}/metadata`, {
    provider: 'me',
    metadata,
    columnsMetadata,
  })
  return tableId
}

const load = async (tableId: string, content: string): Promise<number> =>
  submitImport(tableId, `${columns.join()}\n${content}`)

const row = columns.join()

/** Kinds of jobs that change more than one decision can hold, and others. */
const kinds: Readonly<Record<string, (tableId: string) => Promise<number[]>>> = {
  'new descriptions of all columns': async tableId => {
    const described = columns.map(name => ({ name, description: `about ${name}` }))
    const body = { description: 'all of it', columns: described }
    return [(await service.call('PUT', `/v2/storage/tables/${tableId}/definition`, body)).body.id]
  },
  'a column that goes with its metadata': async tableId => [
    (await service.call('DELETE', `/v2/storage/tables/${tableId}/columns/c1`)).body.id,
  ],
  'a load': async tableId => [await load(tableId, `${row}\n`)],
  'loads that go together': async tableId => [
    await load(tableId, `${row}\n`),
    await load(tableId, `${row}\n${row}\n`),
  ],
  'a drop': async tableId => [
    (await service.call('DELETE', `/v2/storage/tables/${tableId}?async=1`)).body.id,
  ],
}

/** What the tables of a bucket come to is settled by whoever comes next. */
const withoutTotals = (bucket: Record<string, unknown>) => ({
  ...bucket,
  rowsCount: 0,
  dataSizeBytes: 0,
  lastChangeDate: '',
})

const viewOf = async (tableId: string): Promise<unknown> => {
  const [table, bucket, metadata] = await Promise.all(
    [`tables/${tableId}`, `buckets/${bucketId}`, `tables/${tableId}/metadata`].map(path =>
      service.call('GET', `/v2/storage/${path}`),
    ),
  )
  const columnMetadata = await Promise.all(
    ['c0', 'c1', 'c29'].map(name => service.call('GET', `/v2/storage/columns/${tableId}.${name}/metadata`)),
  )
  const { bucket: ofTable, ...shown } = table?.status === 200 ? table.body : {}
  const rest = [metadata, ...columnMetadata].map(reply =>
    reply?.status === 200 ? reply.body : reply?.status,
  )
  return [shown, withoutTotals(ofTable ?? {}), withoutTotals(bucket?.body), ...rest]
}

const runUntil = async (jobId: number, writes: number): Promise<boolean> => {
  faults.writesLeft = writes
  const died = await run(jobId).then(
    () => false,
    (error: unknown) => error instanceof Crash,
  )
  faults.writesLeft = Number.POSITIVE_INFINITY
  return died
}

describe('rule 11, who tells an end has all of it: whoever reads of a success sees what he sees later, though the process dies', () => {
  it.each(Object.entries(kinds))('%s', async (_, submit) => {
    let told = 0
    for (let writes = 1, died = true; died; writes += stride(3)) {
      const tableId = await createDescribed()
      const [jobId = 0, ...others] = await submit(tableId)
      died = await runUntil(jobId, writes)
      const { status } = await jobOf(jobId)
      const seen = status === 'success' ? await viewOf(tableId) : undefined
      for (const id of [jobId, ...others]) await execute(id)
      expect((await jobOf(jobId)).status).toBe('success')
      if (seen) expect(seen, `died after write ${writes}`).toEqual(await viewOf(tableId))
      if (seen && ++told > 3) break
    }
    expect(told).toBeGreaterThan(0)
  })
})

describe('a job that is decided and whose process died', () => {
  const decideAndDie = async () => {
    const tableId = await createDescribed()
    const described = columns.map(name => ({ name, description: `about ${name}` }))
    const path = `/v2/storage/tables/${tableId}/definition`
    const { body } = await service.call('PUT', path, { displayName: newName(), columns: described })
    // It begins, decides, and describes the first of them.
    expect(await runUntil(body.id, 3)).toBe(true)
    expect((await jobOf(body.id)).status).toBe('processing')
    return { tableId, jobId: body.id as number }
  }

  it('cannot be cancelled or failed any more: it ends as it was decided', async () => {
    const { jobId, tableId } = await decideAndDie()
    await service.call('POST', `/v2/storage/jobs/${jobId}/cancel`, {})
    await runJob({ jobId, failure: { Error: 'Error' } }, service.jobServices)
    expect((await jobOf(jobId)).status).toBe('success')
    const { body } = await service.call('GET', `/v2/storage/columns/${tableId}.c29/metadata`)
    expect(body).toContainEqual(expect.objectContaining({ value: 'about c29' }))
  })

  it('is ended by the next job of its table, and its lease is given back', async () => {
    const { jobId, tableId } = await decideAndDie()
    expect(await run(await load(tableId, `${row}\n`))).toEqual({ status: 'done' })
    expect((await jobOf(jobId)).status).toBe('success')
    expect(await rowsOf(tableId)).toHaveLength(1)
    expect(await service.stores.queue.lease(tableId)).toBeUndefined()
  })
})
