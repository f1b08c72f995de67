import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import type { MergeRun } from '#lib/distributed/merge-engine.ts'
import { mergeCases, playMerges } from '#support/large-merges.ts'
import { heldMergeEngine, mergeFork } from '#support/merge-engine.ts'
import { type StorageService, withStorage } from '#support/storage-service.ts'
import { sweepService } from '#support/sweep-all.ts'

let work: (run: MergeRun) => Promise<void> = async () => {}
const held = heldMergeEngine(run => work(run))
const service: StorageService = await withStorage({ rangeBytes: 300, mergeEngine: () => held.engine })
const { s3, tablesBucket, jobServices } = service
const merge = (run: MergeRun) => mergeFork(run, { s3, tablesBucket, tableEngine: jobServices.tableEngine })
const bucketId = await service.createBucket('main')
const [first, second] = mergeCases[0]?.loads ?? []
let tables = 0
const DAY_MS = 86_400_000

const load = async (name: string, given: typeof first, isLarge = true) => {
  jobServices.distribution.singleLoadBytes = isLarge ? 1 : Number.MAX_SAFE_INTEGER
  jobServices.distribution.singleMergeBytes = isLarge ? 1 : Number.MAX_SAFE_INTEGER
  const dataFileId = await service.upload(given?.csv ?? '')
  const target = isLarge ? `tables/${bucketId}.${name}/import-async` : `buckets/${bucketId}/tables-async`
  return (await service.call('POST', `/v2/storage/${target}`, { name, dataFileId, ...given?.settings })).body
}

const newTable = async () => {
  const name = `held${++tables}`
  await load(name, first, false)
  const snapshot = async () => (await service.stores.tables.get(`${bucketId}.${name}`))?.snapshot
  return { name, snapshot, before: await snapshot() }
}

describe('a load that is merged by the engine', () => {
  it.each(mergeCases)('answers and leaves what a function does: $name', async mergeCase => {
    work = merge
    const name = `case${++tables}`
    const small = await playMerges(service, bucketId, mergeCase, { name: `${name}small`, isLarge: false })
    const large = await playMerges(service, bucketId, mergeCase, { name: `${name}large`, isLarge: true })
    expect(large).toEqual(small)
    expect(held.started.length).toBeGreaterThan(0)
  })

  it('waits for as long as the engine runs, and may write below its own prefix only', async () => {
    const { name, snapshot, before } = await newTable()
    const end = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<MergeRun>()
    work = async run => {
      begun.resolve(run)
      await end.promise
      await merge(run)
    }
    const loading = load(name, second)
    const run = await begun.promise
    expect(await snapshot()).toEqual(before)
    // What is a day old and named by nobody goes, but not from a job that is at work.
    await sweepService(service, () => new Date(Date.now() + 2 * DAY_MS))
    end.resolve()
    const { status, id, results } = await loading
    expect({ status, rows: results?.totalRowsCount }).toEqual({ status: 'success', rows: 80 })
    const table = await service.stores.tables.get(`${bucketId}.${name}`)
    const own = `s3://${tablesBucket}/tables/${table?.internalId}/`
    expect(run).toEqual({
      name: `millrace-${id}`,
      warehouse: `${own}${id}/merge`,
      script: `${own}${id}/merge/merge-rows.py`,
      argument: `${own}${id}/merge/merge-rows.json`,
      reads: [own],
    })
  })

  it('reads where the files lie that a copy shares with its source', async () => {
    const { name } = await newTable()
    const source = await service.stores.tables.get(`${bucketId}.${name}`)
    const { body: snapshot } = await service.call('POST', `/v2/storage/tables/${bucketId}.${name}/snapshots`)
    const copy = `${name}copy`
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
      name: copy,
      snapshotId: snapshot.results.id,
    })
    work = merge
    const { status, id, results } = await load(copy, second)
    expect({ status, rows: results?.totalRowsCount }).toEqual({ status: 'success', rows: 80 })
    const run = held.started.find(each => each.name === `millrace-${id}`)
    const target = await service.stores.tables.get(`${bucketId}.${copy}`)
    const places = [source, target].map(table => `s3://${tablesBucket}/tables/${table?.internalId}/`)
    expect(run?.reads.toSorted()).toEqual(places.toSorted())
  })

  it('fails with its reason when the run ends early, and leaves the table as it was', async () => {
    const { name, snapshot, before } = await newTable()
    work = () => Promise.reject(new Error('executor lost'))
    const { status, error } = await load(name, second)
    expect({ status, code: error.code }).toEqual({ status: 'error', code: 'storage.load.mergeFailed' })
    expect(error.message).not.toContain('executor lost')
    expect(JSON.stringify(service.logged)).toContain('executor lost')
    expect(await snapshot()).toEqual(before)
    work = merge
    expect(await load(name, second)).toMatchObject({ status: 'success', results: { totalRowsCount: 80 } })
  })

  it.each([
    ['of another table', /"table-uuid": ?"[^"]+"/, '"table-uuid":"7b5c1b0e-0000-4000-8000-000000000000"'],
    ['beside the fork', /"parent-snapshot-id": ?\d+/, '"parent-snapshot-id":7'],
  ])('rule 16: publishes no snapshot %s', async (_, own, other) => {
    const { name, snapshot, before } = await newTable()
    work = async run => {
      await merge(run)
      const { host: Bucket, pathname } = new URL(`${run.warehouse}/fork/rows/metadata/v2.metadata.json`)
      const object = { Bucket, Key: pathname.slice(1) }
      const text = (await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()) ?? ''
      expect(text).toMatch(own)
      await s3.send(new PutObjectCommand({ ...object, Body: text.replace(own, other) }))
    }
    const { status, error } = await load(name, second)
    expect([status, error?.code]).toEqual(['error', 'storage.load.mergeFailed'])
    expect(await snapshot()).toEqual(before)
  })

  it('stops its run when it is cancelled', async () => {
    const { name, snapshot, before } = await newTable()
    const begun = Promise.withResolvers<MergeRun>()
    work = run => {
      begun.resolve(run)
      return new Promise(() => {})
    }
    const loading = load(name, second)
    const jobId = (await begun.promise).name.replace('millrace-', '')
    await service.call('POST', `/v2/storage/jobs/${jobId}/cancel`)
    expect((await loading).status).toMatch(/cancelled|error/)
    expect(held.stopped).toContain(`millrace-${jobId}`)
    expect(await snapshot()).toEqual(before)
  })
})

describe('a process that dies', () => {
  const { engine } = held
  const looked = Promise.withResolvers<void>()
  const arrows = {
    'before the run is started': {
      start: (): Promise<string> => Promise.reject(new Error('died before')),
    },
    'after it was started and did its work': {
      start: async (run: MergeRun): Promise<string> => {
        await engine.start(run)
        await expect.poll(() => engine.look(run.name)).toEqual({ isRunning: false })
        throw new Error('died after')
      },
    },
    'when it looks': {
      look: (): Promise<never> => {
        looked.resolve()
        return Promise.reject(new Error('no answer'))
      },
    },
  }
  it.each(Object.entries(arrows))(
    'rule 16, its fork is noted before the engine starts: %s leaves the load to the next try',
    async (_, dying) => {
      const { name } = await newTable()
      work = 'look' in dying ? run => looked.promise.then(() => merge(run)) : merge
      const { distribution } = jobServices
      const { merges } = distribution
      if (!merges) throw new Error('There is no engine')
      let died = 0
      const onceDead = Object.fromEntries(
        Object.entries(dying).map(([operation, die]) => [
          operation,
          (given: never) => {
            distribution.merges = merges
            died++
            return (die as (given: never) => Promise<unknown>)(given)
          },
        ]),
      )
      distribution.merges = { ...merges, engine: async () => ({ ...engine, ...onceDead }) }
      const { status, results } = await load(name, second)
      expect({ status, totalRowsCount: results?.totalRowsCount, died }).toEqual({
        status: 'success',
        totalRowsCount: 80,
        died: 1,
      })
    },
  )
})
