import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mergeByQueryEvent } from '#functions/merge-by-query/event.ts'
import { mergeByQuery } from '#functions/merge-by-query/merge-by-query.ts'
import { UserError } from '#lib/errors/errors.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { eventFile } from '#support/events.ts'
import { everyCall, type MergeWorld, startMergeWorld, tableId } from './merge-world.ts'
import { after, before, change, contentOf, createOrders, eventsOfTable, expectNothingLeft } from './orders.ts'

let world: MergeWorld
beforeEach(async () => {
  world = await startMergeWorld()
})
afterEach(() => world.close())

const first = '2026-01-01T00:00:00.000Z'

it.each(['start', 'check', 'adopt'])('reads the event of the step %s', async name => {
  const event = await eventFile(`merge-by-query/${name}.json`)
  expect(mergeByQueryEvent.parse(event)).toMatchObject({ step: name })
  expect(mergeByQueryEvent.safeParse(Object.assign({}, event, { jobId: undefined })).success).toBe(false)
})

it('merges the last record of each key, over ranges, and leaves unchanged rows as they are', async () => {
  await createOrders(world)
  const jobId = await world.stage([
    [
      { id: '1', amount: '11' },
      { id: '2', amount: '20' },
      { id: '4', amount: '41' },
    ],
    [
      { id: '1', amount: '12' },
      { id: '5', amount: '50' },
      { id: '5', amount: '51' },
    ],
  ])
  await world.merge(jobId)
  expect(await contentOf(world)).toEqual(['1 12', '2 20', '3 30', '4 41', '5 51', '6 60'])
  const rows = await world.rows()
  expect(rows.map(row => row['_timestamp'] === first)).toEqual([false, true, true, false, false, true])

  const table = await world.stores.tables.get(tableId)
  expect(table?.lastLoad).toMatchObject({ jobId, importedRowsCount: 6 })
  expect(table?.snapshot.rowsCount).toBe(6)
  // Athena left one file of deletes for both; each file has its own now.
  const files = table?.snapshot.files.map(({ rows, deletes }) => `${deletes?.rows ?? 0} of ${rows}`)
  expect(files?.sort()).toEqual(['0 of 3', '1 of 2', '1 of 3'])
  const { head, glue } = await world.pointers()
  expect(glue).toBe(head)
  await expectNothingLeft(world, jobId)
})

it('merges again and again, with the deletes of earlier merges', async () => {
  await createOrders(world)
  for (let round = 1; round <= 4; round++)
    await world.merge(
      await world.stage([
        [
          { id: '1', amount: `${round}` },
          { id: '2', amount: `${round}` },
        ],
      ]),
    )
  expect(await contentOf(world)).toEqual(['1 4', '2 4', '3 30', '4 40', '6 60'])
  const { head, glue } = await world.pointers()
  expect(glue).toBe(head)
})

it('makes no commit when nothing differs', async () => {
  await createOrders(world)
  const table = await world.stores.tables.getHead(tableId)
  await world.merge(await world.stage([[{ id: '1', amount: '10' }]]))
  const merged = await world.stores.tables.getHead(tableId)
  expect(merged?.metadataKey).toBe(table?.metadataKey)
  expect(merged?.lastLoad.jobId).not.toBe(table?.lastLoad.jobId)
})

it('replaces the rows in a full load, which still has the last record of each key', async () => {
  await createOrders(world)
  await world.merge(
    await world.stage(
      [
        [{ id: '1', amount: '1' }],
        [
          { id: '1', amount: '2' },
          { id: '9', amount: '9' },
        ],
      ],
      {
        incremental: false,
      },
    ),
  )
  expect(await contentOf(world)).toEqual(['1 2', '9 9'])
})

it('adds the columns of the load; rows that do not change stay, though they lack the column', async () => {
  await createOrders(world)
  const rows = [
    { id: '1', amount: '10', note: '' },
    { id: '2', amount: '20', note: 'new' },
  ]
  await world.merge(await world.stage([rows], { columns: ['note'] }))
  expect(await world.engineRows()).toMatchObject([
    rows[0],
    rows[1],
    { id: '3', note: '' },
    { id: '4' },
    { id: '6' },
  ])
  const times = (await world.rows()).map(row => row['_timestamp'] === first)
  expect(times).toEqual([true, false, true, true, true])
})

describe('a repeated step', () => {
  it('finds the query of the job, also after its process was killed', async () => {
    await createOrders(world)
    const jobId = await world.stage([change])
    const started = await mergeByQuery({ step: 'start', jobId }, world.merging)
    await world.services.restart()
    expect(await mergeByQuery({ step: 'start', jobId }, world.merging)).toEqual(started)
    await world.merge(jobId)
    expect(await contentOf(world)).toEqual(after)
  })

  it('finds its work done in the head', async () => {
    await createOrders(world)
    const jobId = await world.stage([change])
    const queryId = await world.query(jobId)
    await mergeByQuery({ step: 'adopt', jobId, queryId }, world.merging)
    const { metadataKey } = (await world.stores.tables.getHead(tableId)) ?? {}
    expect(await mergeByQuery({ step: 'adopt', jobId, queryId }, world.merging)).toEqual({ status: 'done' })
    expect(await world.stores.tables.getHead(tableId)).toMatchObject({ metadataKey })
  })
})

it('moves no head for a job that was given up, or that somebody has cancelled', async () => {
  await createOrders(world)
  const before = await contentOf(world)
  const { jobs } = world.stores
  const asks = [
    (id: number) => jobs.giveUp(id, new Date()),
    (id: number) => jobs.wishEnd(id, 'test', new Date()),
  ]
  for (const ask of asks) {
    const jobId = await world.stage([change])
    const queryId = await world.query(jobId)
    await ask(jobId)
    await expect(mergeByQuery({ step: 'adopt', jobId, queryId }, world.merging)).rejects.toThrow()
    expect(await contentOf(world)).toEqual(before)
  }
})

describe('a merge that dies', () => {
  /** Services that die at their nth call, before or after its work, and so do all that come after it. */
  const dying = (at: number, when: 'before' | 'after'): MergeWorld['merging'] => {
    let calls = 0
    const around = async (work: () => unknown) => {
      const turn = ++calls
      if (turn > at || (turn === at && when === 'before')) throw new Error('killed')
      const result = await work()
      if (turn === at) throw new Error('killed')
      return result
    }
    world.calls.around = around
    const { queries, notes } = world.merging
    return {
      ...world.merging,
      queries: everyCall(queries, around),
      notes: everyCall(notes, around),
    }
  }
  const sampled = process.env['KILLS'] === 'all' ? 1 : 4

  it.each([
    ['before', 1],
    ['after', 2],
  ] as const)(
    '%s any call leaves the old table or the new one, and is done when it runs again',
    async (when, from) => {
      await createOrders(world)
      let hasDied = true
      let deaths = 0
      for (let at = from; hasDied; at += sampled) {
        const amount = String(100 + at)
        const old = await contentOf(world)
        const jobId = await world.stage([[{ id: '1', amount }]])
        let queryId = ''
        const steps = async (services: MergeWorld['merging']) => {
          const started = await mergeByQuery({ step: 'start', jobId }, services)
          if ('queryId' in started) queryId = started.queryId
          await world.services.queries().settled()
          if (queryId !== '') await mergeByQuery({ step: 'adopt', jobId, queryId }, services)
        }
        hasDied = await steps(dying(at, when)).then(
          () => false,
          error => {
            expect(error).toMatchObject({ message: 'killed' })
            return true
          },
        )
        if (hasDied) deaths++
        world.calls.around = work => work()
        await world.services.queries().settled()
        const expected = old.with(0, `1 ${amount}`)
        expect([old, expected]).toContainEqual(await contentOf(world))
        // As the machine does it: the step that died runs again.
        if (queryId === '') await steps(world.merging)
        else await mergeByQuery({ step: 'adopt', jobId, queryId }, world.merging)
        expect(await contentOf(world)).toEqual(expected)
        const { head, glue } = await world.pointers()
        expect(glue).toBe(head)
      }
      expect(deaths).toBeGreaterThan(3)
      expect(await eventsOfTable(world)).toEqual([])
    },
  )

  it('between the move of the head and that of the pointer: the next look at it heals Glue', async () => {
    await createOrders(world)
    await world.merge(await world.stage([[{ id: '1', amount: '11' }]]))
    const table = await world.stores.tables.get(tableId)
    if (!table) throw new Error('There is no table')
    const stale = (await world.pointers()).glue
    await world.merge(await world.stage([[{ id: '2', amount: '21' }]]))
    const found = await world.catalog.find(table.glueName ?? '')
    const objects = world.stores.tableContents.objects
    const old = await world.stores.tableContents.metadataFile(objects.keyOf(stale ?? ''))
    expect(found && (await world.catalog.move(found, old))).toBe(true)

    await world.stores.tables.followInCatalog(table)
    const { head, glue } = await world.pointers()
    expect(glue).toBe(head)
    expect(await eventsOfTable(world)).toEqual([])
  })
})

describe('a commit that somebody else made through Glue', () => {
  it('is noticed, reported and never mixed in', async () => {
    await createOrders(world)
    await world.merge(await world.stage([[{ id: '1', amount: '11' }]]))
    const { objects } = world.stores.tableContents
    const { glue = '' } = await world.pointers()
    const metadata = parseMetadata(Buffer.from(await objects.read(glue)).toString('utf8'))
    const location = `${metadata.location}/metadata/00099-0ef0d4a7-5fd6-4c4f-8e2c-6f2a2f4c5b11.metadata.json`
    const foreign = JSON.stringify(metadata, (_key, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ).replace(/"trino_query_id":"[^"]+"/g, '"trino_query_id":"20260101_000000_00001_other"')
    await objects.write([{ location, content: Buffer.from(foreign) }])
    const { glueName = '' } = (await world.stores.tables.getHead(tableId)) ?? {}
    const found = await world.catalog.find(glueName)
    if (!found) throw new Error('The table is not registered')
    await world.catalog.move(found, { metadata, location })

    await world.merge(await world.stage([[{ id: '2', amount: '21' }]]))
    expect(await contentOf(world)).toEqual(['1 11', '2 21', '3 30', '4 40', '6 60'])
    const pointers = await world.pointers()
    expect(pointers.glue).toBe(pointers.head)
    expect(await eventsOfTable(world)).toMatchObject([
      {
        event: 'storage.tableForeignCommit',
        type: 'warn',
        objectId: tableId,
        message: expect.stringContaining(location),
      },
    ])
  })
})

describe('a query that does not succeed', () => {
  it('fails the load when it would scan more than the workgroup allows, and leaves nothing', async () => {
    await world.close()
    world = await startMergeWorld({ cutoffBytes: 1 })
    await createOrders(world)
    const jobId = await world.stage([change])
    const queryId = await world.query(jobId)
    await expect(mergeByQuery({ step: 'check', jobId, queryId }, world.merging)).rejects.toMatchObject({
      code: 'storage.tables.distributed.queryFailed',
      message: expect.stringContaining('Bytes scanned limit was exceeded'),
    })
    // A query that fails costs what it has scanned.
    expect(world.measured.at(-1)).toMatchObject({
      QueryBytes: expect.any(Number),
      QuerySeconds: expect.any(Number),
    })
    expect(await contentOf(world)).toEqual(before)
    await expectNothingLeft(world, jobId)
  })

  const withoutRight = async (right: string, place: string): Promise<number> => {
    await world.close()
    const mayDo = (action: string, resource: string) => action !== right || !resource.includes(place)
    world = await startMergeWorld({ mayDo })
    await createOrders(world)
    return world.stage([change])
  }

  it.each([
    ['glue:GetDatabase', 'database/default'],
    ['glue:UpdateTable', 'table/millrace_tables/merge_'],
  ])(
    'for want of a right of its own (%s on %s) is no mistake of the user: the grant is named',
    async (right, place) => {
      const jobId = await withoutRight(right, place)
      const queryId = await world.query(jobId)
      const failure = mergeByQuery({ step: 'check', jobId, queryId }, world.merging)
      await expect(failure).rejects.toMatchObject({
        name: 'MissingGrant',
        message: expect.stringMatching(new RegExp(`allow the role of the function ${right} on \\S*${place}`)),
      })
      await expect(failure).rejects.not.toBeInstanceOf(UserError)
      expect(await contentOf(world)).toEqual(before)
    },
  )

  it('and so it is when the query cannot even be prepared or started', async () => {
    for (const [right, place] of [
      ['glue:CreateTable', 'table/millrace_tables/merge_'],
      ['athena:StartQueryExecution', 'workgroup/'],
    ] as const) {
      const jobId = await withoutRight(right, place)
      await expect(mergeByQuery({ step: 'start', jobId }, world.merging)).rejects.toMatchObject({
        name: 'MissingGrant',
        message: expect.stringContaining(right),
      })
      expect(await contentOf(world)).toEqual(before)
    }
  })

  it('is refused before it starts when Athena would take two columns for one', async () => {
    await world.createTable(['id', 'a b', 'A_B'], [[{ id: '1' }]])
    const jobId = await world.stage([[{ id: '1', 'a b': 'x' }]])
    await expect(mergeByQuery({ step: 'start', jobId }, world.merging)).rejects.toMatchObject({
      code: 'storage.tables.distributed.columnNames',
    })
  })
})
