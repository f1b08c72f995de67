import { type Arena, ask, type Duel, type Operation, type Place, run } from './duels.ts'

const csv = (rows: Record<string, string>): string =>
  `id,v\n${Object.entries(rows)
    .map(row => row.join(','))
    .join('\n')}\n`

/** A table with a key and no rows. */
const makeTable = async ({ service }: Arena, { bucketId }: Place, name = 't'): Promise<string> => {
  const path = `/v2/storage/buckets/${bucketId}/tables-definition`
  const columns = [{ name: 'id' }, { name: 'v' }]
  const { body } = await service.call('POST', path, { name, primaryKeysNames: ['id'], columns })
  await run({ service, turns: { pause: async () => {} } } as Arena, body.id)()
  return `${bucketId}.${name}`
}

const load = async (
  arena: Arena,
  { tableId }: Pick<Place, 'tableId'>,
  rows: Record<string, string>,
  { incremental = 1, key }: { incremental?: 0 | 1; key?: string } = {},
) => {
  const dataFileId = await arena.service.upload(csv(rows))
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key }
  return ask(arena, 'POST', `/tables/${tableId}/import-async`, { dataFileId, incremental }, headers)
}

/** A load that is accepted before: its job. */
const accepted = async (
  { service }: Arena,
  { tableId }: Place,
  rows: Record<string, string>,
  incremental: 0 | 1 = 1,
): Promise<number> => {
  const dataFileId = await service.upload(csv(rows))
  const path = `/v2/storage/tables/${tableId}/import-async`
  return (await service.call('POST', path, { dataFileId, incremental })).body.id
}

const create = async (arena: Arena, { bucketId }: Place, name: string, displayName = name) => {
  const columns = [{ name: 'id' }, { name: displayName }]
  return ask(arena, 'POST', `/buckets/${bucketId}/tables-definition`, {
    name,
    displayName,
    columns,
    primaryKeysNames: [],
  })
}

/** The path of a new one. */
const configuration = async ({ service }: Arena, place: Place): Promise<string> => {
  const path = '/components/ex-generic-v2/configs'
  const { body } = await service.call('POST', `/v2/storage${path}`, { name: 'before' })
  place.configurationPath = `${path}/${body.id}`
  return place.configurationPath
}

/** The same of a token. */
const token = async ({ service }: Arena, place: Place): Promise<string> => {
  const { body } = await service.call('POST', '/v2/storage/tokens', { description: 'before' })
  place.tokenId = body.id
  return `/tokens/${body.id}`
}

/** The same of a file. */
const file = async ({ service }: Arena, place: Place): Promise<string> => {
  place.fileId = await service.upload('id')
  return `/files/${place.fileId}`
}

const otherBucket = (arena: Arena, { bucketId }: Place) => ({
  name: `${bucketId.slice('in.c-'.length)}x`,
  create: (name: string, displayName: string) => ask(arena, 'POST', '/buckets', { name, displayName }),
})

const rename = (arena: Arena, tableId: string, displayName: string) =>
  ask(arena, 'PUT', `/tables/${tableId}`, { displayName })

const alias = (arena: Arena, { bucketId }: Place, sourceTable: string, name: string, displayName = name) =>
  ask(arena, 'POST', `/buckets/${bucketId}/table-aliases`, { sourceTable, name, displayName })

const drop = (arena: Arena, tableId: string, force = 1) =>
  ask(arena, 'DELETE', `/tables/${tableId}?async=1&force=${force}`)

const dropBucket = (arena: Arena, bucketId: string, force: 0 | 1) =>
  ask(arena, 'DELETE', `/buckets/${bucketId}?async=1&force=${force}`)

const cancel = (arena: Arena, jobId: number) => async (): Promise<string> => {
  const { status } = await arena.service.call('POST', `/v2/storage/jobs/${jobId}/cancel`)
  return status < 500 ? 'asked' : `answered ${status}`
}

/** As the clock does when the execution of a job is gone. */
const close =
  ({ service }: Arena, jobId: number) =>
  async (): Promise<string> => {
    const { runJob } = await import('#functions/run-job/run-job.ts')
    const failure = { Error: 'Error', Cause: 'gone' }
    await runJob({ jobId, failure }, service.jobServices).catch(() => undefined)
    return 'closed'
  }

const onTable =
  (of: Duel['of']): Duel['of'] =>
  async (arena, place) => {
    await makeTable(arena, place)
    return of(arena, place)
  }

/** With the jobs of loads that are accepted before, in this order. */
const onLoads = (
  loads: readonly Record<string, string>[],
  of: (arena: Arena, ...jobIds: number[]) => Operation[],
): Duel['of'] =>
  onTable(async (arena, place) => {
    const jobIds: number[] = []
    for (const rows of loads) jobIds.push(await accepted(arena, place, rows))
    return of(arena, ...jobIds)
  })

/** Operations that meet at one subject. */
export const duels: Duel[] = [
  {
    name: 'two loads of one table',
    of: onTable(async (arena, place) => [
      await load(arena, place, { 1: 'a', 2: 'a' }),
      await load(arena, place, { 1: 'b', 3: 'b' }),
    ]),
  },
  {
    name: 'a full load and one that adds',
    of: onTable(async (arena, place) => [
      await load(arena, place, { 1: 'a' }, { incremental: 0 }),
      await load(arena, place, { 2: 'b' }),
    ]),
  },
  {
    name: 'two executions of one job',
    of: onLoads([{ 1: 'a' }], (arena, jobId) => [run(arena, jobId), run(arena, jobId)]),
  },
  {
    name: 'a request that comes twice',
    of: onTable(async (arena, place) => {
      const send = await load(arena, place, { 1: 'a' }, { key: place.bucketId })
      return [send, send]
    }),
  },
  {
    name: 'a load, and somebody who cancels it',
    of: onLoads([{ 1: 'a' }], (arena, jobId) => [run(arena, jobId), cancel(arena, jobId)]),
  },
  {
    name: 'a load that takes others along, and somebody who cancels one',
    of: onLoads([{ 1: 'a' }, { 1: 'b' }], (arena, first, second) => [
      run(arena, first),
      cancel(arena, second),
    ]),
  },
  {
    name: 'a load that takes another along, and the execution of that one',
    // The second waits for the first.
    orders: [[0, 1]],
    of: onLoads([{ 1: 'a' }, { 1: 'b' }], (arena, first, second) => [run(arena, first), run(arena, second)]),
  },
  {
    name: 'a load that takes another along, and a full load behind them',
    orders: [[0, 1]],
    of: onTable(async (arena, place) => {
      const first = await accepted(arena, place, { 1: 'a' })
      await accepted(arena, place, { 2: 'b' })
      const full = await accepted(arena, place, { 3: 'c' }, 0)
      return [run(arena, first), run(arena, full)]
    }),
  },
  {
    name: 'a load, and the clock that closes it',
    of: onLoads([{ 1: 'a' }], (arena, jobId) => [run(arena, jobId), close(arena, jobId)]),
  },
  {
    name: 'an export, and the clock that closes it',
    of: onTable(async (arena, { tableId }) => {
      const path = `/v2/storage/tables/${tableId}/export-async`
      const { body } = await arena.service.call('POST', path, {})
      return [run(arena, body.id), close(arena, body.id)]
    }),
  },
  {
    name: 'a load and a new name',
    of: onTable(async (arena, place) => [
      await load(arena, place, { 1: 'a' }),
      rename(arena, place.tableId, 'other'),
    ]),
  },
  {
    name: 'a load and a drop',
    of: onTable(async (arena, place) => [await load(arena, place, { 1: 'a' }), drop(arena, place.tableId)]),
  },
  {
    name: 'two creations of one table',
    of: async (arena, place) => [await create(arena, place, 't', 'a'), await create(arena, place, 't', 'b')],
  },
  {
    name: 'two creations with one display name',
    of: async (arena, place) => [await create(arena, place, 't', 'a'), await create(arena, place, 'u', 'a')],
  },
  {
    name: 'two tables that get one display name',
    of: onTable(async (arena, place) => {
      const other = await makeTable(arena, place, 'u')
      return [rename(arena, place.tableId, 'same'), rename(arena, other, 'same')]
    }),
  },
  {
    name: 'a creation and the deletion of its bucket',
    of: async (arena, place) => [await create(arena, place, 't'), dropBucket(arena, place.bucketId, 0)],
  },
  {
    name: 'an alias and a drop of its source',
    of: onTable(async (arena, place) => [
      alias(arena, place, place.tableId, 'a'),
      drop(arena, place.tableId, 0),
    ]),
  },
  {
    name: 'an alias and a forced drop of its source',
    of: onTable(async (arena, place) => [
      alias(arena, place, place.tableId, 'a'),
      drop(arena, place.tableId),
    ]),
  },
  {
    name: 'an alias and the deletion of its bucket',
    of: onTable(async (arena, place) => [
      alias(arena, place, place.tableId, 'a'),
      dropBucket(arena, place.bucketId, 1),
    ]),
  },
  {
    name: 'an alias and a creation of one name',
    of: onTable(async (arena, place) => [
      alias(arena, place, place.tableId, 'a', 'b'),
      await create(arena, place, 'a', 'c'),
    ]),
  },
  {
    name: 'a swap and a load',
    of: onTable(async (arena, place) => {
      const other = await makeTable(arena, place, 'u')
      return [
        ask(arena, 'POST', `/tables/${place.tableId}/swap`, { targetTableId: other }),
        await load(arena, place, { 1: 'a' }),
      ]
    }),
  },
  {
    name: 'two buckets of one name',
    of: async (arena, place) => {
      const { name, create: make } = otherBucket(arena, place)
      return [make(name, `${name}a`), make(name, `${name}b`)]
    },
  },
  {
    name: 'two changes of a bucket',
    of: async (arena, { bucketId }) => {
      const put = (change: object) => ask(arena, 'PUT', `/buckets/${bucketId}`, change)
      return [put({ color: 'red' }), put({ displayName: `${bucketId.slice('in.c-'.length)}z` })]
    },
  },
  {
    name: 'two buckets with one display name',
    of: async (arena, place) => {
      const { name, create: make } = otherBucket(arena, place)
      return [make(`${name}a`, name), make(`${name}b`, name)]
    },
  },
  {
    name: 'two changes of a token',
    of: async (arena, place) => {
      const path = await token(arena, place)
      const put = (change: object) => ask(arena, 'PUT', path, change)
      return [put({ description: 'after' }), put({ bucketPermissions: { [place.bucketId]: 'read' } })]
    },
  },
  {
    name: 'a change of a token, and its end',
    of: async (arena, place) => {
      const path = await token(arena, place)
      return [ask(arena, 'PUT', path, { description: 'after' }), ask(arena, 'DELETE', path)]
    },
  },
  {
    name: 'a permission on a bucket, and its end',
    of: async (arena, place) => {
      const path = await token(arena, place)
      return [
        ask(arena, 'PUT', path, { bucketPermissions: { [place.bucketId]: 'read' } }),
        dropBucket(arena, place.bucketId, 1),
      ]
    },
  },
  {
    name: 'two branches of one name',
    of: async (arena, place) => {
      const make = () => ask(arena, 'POST', '/dev-branches', { name: place.bucketId })
      return [make(), make()]
    },
  },
  {
    name: 'two changes of a configuration',
    of: async (arena, place) => {
      const path = await configuration(arena, place)
      return [ask(arena, 'PUT', path, { name: 'a' }), ask(arena, 'PUT', path, { description: 'b' })]
    },
  },
  {
    name: 'a change of a configuration, and its end',
    of: async (arena, place) => {
      const path = await configuration(arena, place)
      return [ask(arena, 'PUT', path, { name: 'a' }), ask(arena, 'DELETE', path)]
    },
  },
  {
    name: 'two rows of a configuration with one id',
    of: async (arena, place) => {
      const path = await configuration(arena, place)
      const add = (name: string) => ask(arena, 'POST', `${path}/rows`, { rowId: 'r', name })
      return [add('a'), add('b')]
    },
  },
  {
    name: 'two tags of a file',
    of: async (arena, place) => {
      const path = await file(arena, place)
      const tag = (name: string) => ask(arena, 'POST', `${path}/tags`, { tag: name })
      return [tag('a'), tag('b')]
    },
  },
  {
    name: 'a tag of a file, and its end',
    of: async (arena, place) => {
      const path = await file(arena, place)
      return [ask(arena, 'POST', `${path}/tags`, { tag: 'a' }), ask(arena, 'DELETE', path)]
    },
  },
  {
    name: 'two keys of metadata with one name',
    of: onTable(async (arena, place) => {
      const set = (value: string) =>
        ask(arena, 'POST', `/tables/${place.tableId}/metadata`, {
          provider: 'user',
          metadata: [{ key: 'k', value }],
        })
      return [set('a'), set('b')]
    }),
  },
]
