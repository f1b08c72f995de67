import { describe, expect, it } from 'vitest'
import { lastImports } from '#lib/storage/triggers/watched-imports.ts'
import { startJobsByHand } from '#support/jobs-by-hand.ts'
import { tablesAtOnce } from '#support/tables-at-once.ts'

const { service, bucketId, faults, newName, execute, submitCreate, submitImport, createTable } =
  await startJobsByHand()
const otherBucket = await service.createBucket('other')
const { tables, aliases } = service.stores

const call = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/storage/${path}`, body)
const createAlias = (sourceTable: string, name: string, bucket = otherBucket) =>
  call('POST', `buckets/${bucket}/table-aliases`, { sourceTable, name })

/** Sends the request again and again, each time dying one write later, until one gets through; how many died. */
const dieAtEveryWrite = async (
  prepare: () => Promise<void>,
  send: () => Promise<{ status: number }>,
  check: () => Promise<void>,
) => {
  for (let writes = 1; ; writes++) {
    await prepare()
    faults.writesLeft = writes
    const { status } = await send()
    faults.writesLeft = Number.POSITIVE_INFINITY
    await check()
    if (status < 300) return writes - 1
  }
}

describe('a request that dies after any of its writes', () => {
  it('leaves an alias that its source knows, or none, and can be repeated', async () => {
    let sourceId = ''
    let name = ''
    const died = await dieAtEveryWrite(
      async () => {
        sourceId = await createTable()
        name = newName()
      },
      () => createAlias(sourceId, name),
      async () => {
        const { body, status } = await createAlias(sourceId, name)
        if (status !== 201) expect(body.code).toBe('storage.buckets.tableAlreadyExists')
        expect((await call('GET', `tables/${otherBucket}.${name}`)).body).toMatchObject({ isAlias: true })
        expect((await call('DELETE', `tables/${sourceId}`)).status).toBe(400)
        expect((await call('DELETE', `tables/${sourceId}?force=1`)).status).toBe(204)
        expect((await call('GET', `tables/${otherBucket}.${name}`)).status).toBe(404)
      },
    )
    expect(died).toBeGreaterThanOrEqual(1)
  })

  it('deletes a table with all aliases when it is sent again', async () => {
    let sourceId = ''
    const names = ['first', 'second']
    const died = await dieAtEveryWrite(
      async () => {
        sourceId = await createTable()
        await createAlias(sourceId, 'first')
        await createAlias(`${otherBucket}.first`, 'second')
      },
      () => call('DELETE', `tables/${sourceId}?force=1`),
      async () => {
        const { status } = await call('DELETE', `tables/${sourceId}?force=1`)
        expect([204, 404]).toContain(status)
        for (const name of names) {
          expect((await call('GET', `tables/${otherBucket}.${name}`)).status).toBe(404)
          expect(await tables.getAlias(`${otherBucket}.${name}`)).toBeUndefined()
        }
      },
    )
    expect(died).toBeGreaterThanOrEqual(3)
  })

  it('changes the columns of an alias once', async () => {
    const sourceId = await createTable()
    await execute((await call('POST', `tables/${sourceId}/columns`, { name: 'm' })).body.id)
    await createAlias(sourceId, 'chosen')
    const path = `tables/${otherBucket}.chosen`
    await call('DELETE', `${path}/alias-columns-auto-sync`)
    const { body } = await call('DELETE', `${path}/columns/m`)
    for (let writes = 1; writes < 8; writes++) {
      faults.writesLeft = writes
      await execute(body.id).catch(() => {})
      faults.writesLeft = Number.POSITIVE_INFINITY
    }
    await execute(body.id)
    expect((await call('GET', `jobs/${body.id}`)).body).toMatchObject({ status: 'success' })
    expect((await call('GET', path)).body.columns).toEqual(['n'])
  })
})

describe('an alias whose source is gone', () => {
  it('is gone too, and a new table of that name is not its source', async () => {
    const sourceId = await createTable()
    await createAlias(sourceId, 'orphan')
    // As if the alias had been stored at the very moment of the delete.
    const source = await tables.getHead(sourceId)
    if (source) await tablesAtOnce(tables).delete(source)
    await execute(await submitCreate(sourceId.split('.').at(-1) ?? '', 'n\n1\n'))
    expect((await call('GET', `tables/${otherBucket}.orphan`)).status).toBe(404)
    const { body: listed } = await call('GET', `buckets/${otherBucket}/tables`)
    expect(listed.map(({ name }: { name: string }) => name)).not.toContain('orphan')
    expect((await call('DELETE', `tables/${sourceId}`)).status).toBe(204)
  })

  it('does not keep its name from others', async () => {
    const sourceId = await createTable()
    await createAlias(sourceId, 'taken')
    await createAlias(sourceId, 'taken', bucketId)
    const source = await tables.getHead(sourceId)
    if (source) await tablesAtOnce(tables).delete(source)
    const next = await createTable()
    expect((await createAlias(next, 'taken')).status).toBe(201)
    const jobId = await submitCreate('taken', 'n\n5\n')
    await execute(jobId)
    expect((await call('GET', `tables/${bucketId}.taken`)).body).toMatchObject({
      isAlias: false,
      rowsCount: 1,
    })
  })

  it('rule 5, emptiness is two decisions: is refused where its source goes meanwhile', async () => {
    const sourceId = await createTable()
    const source = await tables.getHead(sourceId)
    const inserting = aliases.inserting
    aliases.inserting = async alias => {
      const decision = await inserting(alias)
      if (source) await tablesAtOnce(tables).delete(source)
      return decision
    }
    try {
      expect((await createAlias(sourceId, 'late')).status).toBe(404)
    } finally {
      aliases.inserting = inserting
    }
    expect(await tables.getAlias(`${otherBucket}.late`)).toBeUndefined()
  })
})

it('an import into its source is one of the alias, for triggers that watch it', async () => {
  const sourceId = await createTable()
  await createAlias(sourceId, 'watched')
  const watched = `${otherBucket}.watched`
  const jobId = await submitImport(sourceId, 'n\n1\n')
  await execute(jobId)
  expect(await lastImports([watched], tables)).toEqual({ [watched]: jobId })
})
