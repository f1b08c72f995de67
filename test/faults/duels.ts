import type { Item, ItemTable, ItemWrite } from '#lib/items/item-table.ts'
import { startingWith } from '#lib/items/item-table.ts'
import { executeJob } from '#support/execute-job.ts'
import { startStorageService } from '#support/storage-service.ts'
import { illegalIn } from './legal-state.ts'
import { createTurns, type Turns } from './turns.ts'

/** Does with a write what a defect of the service would do with it. `undefined`: it is not made. */
export type Defect = (write: ItemWrite, kind: string) => ItemWrite | undefined

const sound: Defect = write => write

/** The service in this process, each of whose calls of items comes in its turn. */
export const startArena = async () => {
  const turns = createTurns()
  const seen = {
    pks: new Set<string>(),
    conditions: new Set<string>(),
    /** What was written together, as `JOBS QUEUE…`. */
    writes: [] as string[],
    illegal: new Set<string>(),
    /** Of earlier plays. */
    before: new Set<string>(),
  }
  const bent = { by: sound }
  const now = () => new Date()
  const service = await startStorageService({
    items: items => watch(items),
    isRunningJobs: false,
    jobWaitMs: 0,
    now,
    startJob: async () => 'running',
  })

  const ends = new Map<number, unknown>()
  /** A job ends once. */
  const changedEnds = (found: readonly Item[]): string[] =>
    found.flatMap(({ id, status, endTime, input }) => {
      if (endTime === undefined || input === undefined) return []
      const before = ends.get(Number(id)) ?? status
      ends.set(Number(id), before)
      return before === status ? [] : [`the job ${id} ended as ${before}, and is ${status}`]
    })

  function watch(items: ItemTable): ItemTable {
    const all = async (): Promise<Item[]> => {
      const found = [...seen.pks].map(pk => Array.fromAsync(items.query(pk, startingWith(''))))
      // What is kept of buckets of earlier plays is not looked at, since their tables are not.
      return (await Promise.all(found))
        .flat()
        .filter(({ pk, sk }) => pk !== 'TOTALS' || seen.pks.has(`BUCKET#${String(sk).split('#')[0]}`))
    }
    const write = <Result>(
      writes: readonly ItemWrite[],
      act: (given: readonly ItemWrite[]) => Promise<Result>,
    ): Promise<Result> =>
      turns.call(async () => {
        const given = writes.flatMap(one => {
          const kind = kindOf(one)
          if (one.when !== undefined) seen.conditions.add(kind)
          seen.pks.add(one.key.pk)
          return bent.by(one, kind) ?? []
        })
        seen.writes.push(given.map(writtenOf).toSorted().join(', '))
        const result = await act(given)
        const found = await all()
        for (const sentence of [...illegalIn(found, now()), ...changedEnds(found)])
          if (!seen.before.has(sentence)) seen.illegal.add(sentence)
        return result
      })
    const one = <Result>(single: ItemWrite, act: (when: ItemWrite['when']) => Promise<Result>) =>
      write([single], ([given]) => act(given?.when))
    return {
      get: key => turns.call(() => items.get(key)),
      getMany: keys => turns.call(() => items.getMany(keys)),
      async *query(pk, range) {
        yield* await turns.call(() => Array.fromAsync(items.query(pk, range)))
      },
      put: (key, item, when) => one({ action: 'put', key, item, when }, given => items.put(key, item, given)),
      swap: (key, item, when) =>
        one({ action: item ? 'put' : 'delete', key, item: item ?? {}, when }, given =>
          items.swap(key, item, given),
        ),
      delete: (key, when) => one({ action: 'delete', key, when }, given => items.delete(key, given)),
      update: (key, change, when) =>
        one({ action: 'update', key, change, when }, given =>
          items.update(key, change, given as Parameters<ItemTable['update']>[2]),
        ),
      putAll: given =>
        write(
          given.map(item => ({ action: 'put' as const, key: item, item })),
          () => items.putAll(given),
        ),
      transact: writes => write(writes, items.transact),
    }
  }

  return { turns, seen, bent, service, close: () => service.close() }
}

export type Arena = Awaited<ReturnType<typeof startArena>>

/** `put QUEUE LEASE absent`: what is written, where, and on which condition. */
const kindOf = ({ action, key: { pk, sk }, when }: ItemWrite): string => {
  const part = pk.startsWith('QUEUE#') || pk.startsWith('BUCKET') ? ` ${sk.split('#')[0]}` : ''
  const named = /^ (\d|in\.|out\.)/.test(part) ? '' : part
  return `${action} ${pk.split('#')[0]}${named} ${conditionOf(when)}`
}

/** Which kind of item, whether it is there then or not. */
const writtenOf = (write: ItemWrite): string =>
  kindOf({ ...write, when: 'absent' })
    .replace(/ +absent$/, '')
    .replace(/(EVENTS\/\w+).*/, '$1')

const conditionOf = (when: ItemWrite['when']): string => {
  if (when === undefined || when === 'absent') return String(when)
  if (when instanceof Date) return 'expired'
  return Object.entries(when)
    .map(([name, value]) => (name === 'status' ? `is ${value}` : name))
    .join()
}

export interface Place {
  bucketId: string
  tableId: string
  /** What else is looked at in the end. */
  tokenId?: string
  fileId?: number
  configurationPath?: string
}

export type Operation = () => Promise<string>

export interface Duel {
  name: string
  /** Operations on a new place, that are then done side by side. */
  of: (arena: Arena, place: Place) => Promise<Operation[]>
  /** One after the other; default: any. */
  orders?: readonly (readonly number[])[]
}

/** Asks the API, and does the job that it answers with. Resolves to `done`, `refused`, or what is wrong. */
export const ask =
  (arena: Arena, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  async (): Promise<string> => {
    const reply = await arena.service.call(method, `/v2/storage${path}`, body, headers)
    if (reply.status === 202) return run(arena, reply.body.id)()
    if (reply.status >= 500) return `answered ${reply.status}: ${reply.text}`
    return reply.status < 300 ? 'done' : 'refused'
  }

/** Does a job as its machine does. */
export const run =
  ({ service, turns }: Arena, jobId: number) =>
  async (): Promise<string> => {
    await executeJob(jobId, service.jobServices, turns.pause)
    const job = await service.stores.jobs.get(jobId)
    if (job?.status === 'success') return 'done'
    return job?.status === 'error' && job.error.code !== 'internalError' ? 'refused' : 'given up'
  }

let places = 0

export const newPlace = async ({ service, seen }: Arena): Promise<Place> => {
  seen.pks.clear()
  for (const sentence of seen.illegal) seen.before.add(sentence)
  seen.illegal.clear()
  const bucketId = await service.createBucket(`duel${++places}`)
  return { bucketId, tableId: `${bucketId}.t` }
}

/** What everybody sees in the end. */
const observe = async (arena: Arena, place: Place): Promise<unknown> => ({
  done: await doneJobs(arena, place),
  bucket: await observeBucket(arena, place),
  ...(place.tokenId !== undefined && { token: await observeToken(arena, place.tokenId) }),
  ...(place.configurationPath !== undefined && {
    configuration: await observeConfiguration(arena, place.configurationPath),
  }),
  ...(place.fileId !== undefined && {
    tags: (await arena.service.stores.files.get(place.fileId))?.tags.toSorted() ?? 'gone',
  }),
})

/** What jobs did on the bucket. Those that failed one order refuses before, and another later. */
const doneJobs = async ({ service, seen }: Arena, { bucketId }: Place): Promise<string[]> => {
  const pks = [...seen.pks].filter(pk => pk.startsWith('JOBS#'))
  const found = await Promise.all(pks.map(pk => Array.fromAsync(service.items.query(pk, startingWith('')))))
  return found
    .flat()
    .filter(job => job['status'] === 'success' && JSON.stringify(job).includes(bucketId))
    .map(({ input }) => String(Object(input).operationName))
    .toSorted()
}

const observeConfiguration = async ({ service }: Arena, path: string): Promise<unknown> => {
  const { status, body } = await service.call('GET', `/v2/storage${path}`)
  const { body: versions } = await service.call('GET', `/v2/storage${path}/versions`)
  if (status !== 200) return status
  const rows = body.rows.map(({ id, name, version }: Record<string, unknown>) => [id, name, version])
  return [body.name, body.description, body.version, rows, versions.length]
}

const observeToken = async ({ service }: Arena, tokenId: string): Promise<unknown> => {
  const token = await service.stores.tokens.get(Number(tokenId))
  return token && [token.description, token.bucketPermissions]
}

const observeBucket = async ({ service }: Arena, { bucketId }: Place): Promise<unknown> => {
  const { status, body: bucket } = await service.call('GET', `/v2/storage/buckets/${bucketId}`)
  if (status === 404) return 'no bucket'
  const { body: tables } = await service.call(
    'GET',
    `/v2/storage/buckets/${bucketId}/tables?include=columns,metadata`,
  )
  const shown = []
  for (const { id, displayName, columns, isAlias, metadata } of tables) {
    const { text } = await service.call('GET', `/v2/storage/tables/${id}/data-preview?limit=1000`)
    shown.push([
      id.slice(bucketId.length),
      displayName,
      isAlias,
      columns,
      text.trimEnd().split('\n').sort(),
      metadata.map(({ key, value }: Record<string, string>) => [key, value]).sort(),
    ])
  }
  return {
    displayName: bucket.displayName.replace(/\d+/, ''),
    color: bucket.color,
    rows: bucket.rowsCount,
    shown,
  }
}

interface Played {
  /** Equal for equal ends. */
  end: string
  illegal: string[]
}

const play = async (
  arena: Arena,
  { of }: Duel,
  order: (operations: Operation[]) => Promise<string[]>,
): Promise<Played> => {
  const place = await newPlace(arena)
  const operations = await of(arena, place)
  const outcomes = await order(operations)
  const end = JSON.stringify({ outcomes, state: await observe(arena, place) })
  return { end: end.replaceAll(place.bucketId, 'BUCKET'), illegal: [...arena.seen.illegal] }
}

const permutations = (count: number): number[][] =>
  count === 0
    ? [[]]
    : permutations(count - 1).flatMap(rest =>
        Array.from({ length: count }, (_, at) => rest.toSpliced(at, 0, count - 1)),
      )

/** What the operations come to one after the other, in each order, and how many calls each makes at most. */
export const playInOrders = async (arena: Arena, duel: Duel) => {
  const ends = new Set<string>()
  const illegal: string[] = []
  const { length: count } = await duel.of(arena, await newPlace(arena))
  const calls = Array.from({ length: count }, () => 0)
  for (const order of duel.orders ?? permutations(count)) {
    const played = await play(arena, duel, async operations => {
      const outcomes: string[] = []
      for (const place of order) {
        const { results, calls: made } = await arena.turns.play([async () => operations[place]?.() ?? ''], [])
        outcomes[place] = results[0] ?? ''
        calls[place] = Math.max(calls[place] ?? 0, made[0] ?? 0)
      }
      return outcomes
    })
    ends.add(played.end)
    illegal.push(...played.illegal)
  }
  return { ends, calls, illegal }
}

/** Side by side. Resolves to what is wrong: an end that no order has, or a state in between that is not legal. */
export const playSideBySide = async (
  arena: Arena,
  duel: Duel,
  ends: ReadonlySet<string>,
  turns: Turns,
): Promise<string[]> => {
  const { end, illegal } = await play(arena, duel, async operations => {
    const { results } = await arena.turns.play(operations, turns)
    return results
  })
  const isOfAnOrder = ends.has(end)
  return [
    ...(isOfAnOrder ? [] : [`ends as none of ${[...ends].join('\n  ')}\nbut as ${end}`]),
    ...illegal,
  ].map(difference => `${duel.name}, ${JSON.stringify(turns)}: ${difference}`)
}
