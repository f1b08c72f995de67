import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deleteBucketNow } from '#lib/storage/update-bucket.ts'
import { emptySnapshot } from '#lib/table-engine/files/snapshot.ts'
import { withStorage } from '#support/storage-service.ts'
import { tablesAtOnce } from '#support/tables-at-once.ts'
import { isThorough } from '#support/thorough.ts'

const service = await withStorage()

// One bucket: what happens to it in both branches matters, and is then likely.
const bucketNames = ['a']
const tableNames = ['t', 'u']
const actions = ['createBucket', 'dropBucket', 'createTable', 'rename', 'dropTable', 'pull'] as const

interface Step {
  in: 'default' | 'branch'
  action: (typeof actions)[number]
  bucket: string
  table: string
}

const step: fc.Arbitrary<Step> = fc.record({
  in: fc.constantFrom('default', 'branch'),
  action: fc.constantFrom(...actions),
  bucket: fc.constantFrom(...bucketNames),
  table: fc.constantFrom(...tableNames),
})

type Project = Map<string, Map<string, string>>
const shown = (project: Project) =>
  [...project]
    .map(([bucket, tables]) => [bucket, [...tables].toSorted()] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Does a step in a project of plain maps. */
const change = (project: Project, { action, bucket, table }: Step, value: string): void => {
  const tables = project.get(bucket)
  if (action === 'createBucket') project.set(bucket, tables ?? new Map())
  if (action === 'dropBucket') project.delete(bucket)
  if (action === 'createTable' && tables && !tables.has(table)) tables.set(table, value)
  if (action === 'rename' && tables?.has(table)) tables.set(table, value)
  if (action === 'dropTable') tables?.delete(table)
}

/**
 * Two projects, of which the second starts as a copy of the first. A step in the first is done in the second as well,
 * as far as that has not written there itself.
 */
const createModel = () => {
  const first: Project = new Map()
  const second: Project = new Map()
  /** Buckets that the second has: its own, with only what is in them; or copies, which the first still fills. */
  const ownBuckets = new Set<string>()
  const copiedBuckets = new Set<string>()
  const written = new Set<string>()

  const follow = (each: Step, value: string): void => {
    const { action, bucket, table } = each
    if (ownBuckets.has(bucket)) return
    if (action === 'dropBucket' && copiedBuckets.has(bucket)) {
      for (const name of tableNames) if (!written.has(`${bucket}.${name}`)) second.get(bucket)?.delete(name)
      return
    }
    const isOfTable = action !== 'dropBucket' && action !== 'createBucket'
    // A table of a bucket that the first lacks is none of its own.
    if (isOfTable && (written.has(`${bucket}.${table}`) || !first.has(bucket))) return
    change(second, each, value)
  }

  const write = ({ action, bucket, table }: Step): void => {
    const tables = second.get(bucket)
    if (action === 'createBucket' && !tables) ownBuckets.add(bucket)
    if (action === 'dropBucket' && tables) {
      ownBuckets.add(bucket)
      for (const name of tables.keys()) written.add(`${bucket}.${name}`)
    }
    if (action === 'createTable' && tables) copiedBuckets.add(bucket)
    if (action === 'rename' && tables?.has(table)) copiedBuckets.add(bucket)
    const isChange =
      (action === 'createTable' && tables && !tables.has(table)) ||
      ((action === 'rename' || action === 'dropTable') && tables?.has(table))
    if (isChange) written.add(`${bucket}.${table}`)
  }

  return {
    first,
    second,
    /** Copies the first project's table and its bucket into the second. */
    pull({ bucket, table }: Step): void {
      const value = first.get(bucket)?.get(table)
      if (value === undefined) return
      const isNew = !second.has(bucket)
      if (isNew) {
        // Of a bucket that was deleted, what had been deleted with it stays so; what came later is seen.
        ownBuckets.delete(bucket)
        const later = [...(first.get(bucket) ?? [])].filter(([name]) => !written.has(`${bucket}.${name}`))
        second.set(bucket, new Map(later))
      }
      if (!ownBuckets.has(bucket)) copiedBuckets.add(bucket)
      second.get(bucket)?.set(table, value)
      written.add(`${bucket}.${table}`)
    },
    do(each: Step, value: string): void {
      if (each.action === 'pull') this.pull(each)
      else if (each.in === 'default') {
        follow(each, value)
        change(first, each, value)
      } else {
        write(each)
        change(second, each, value)
      }
    },
  }
}

/** Does the same with the stores. */
const execute = async (
  { in: where, action, bucket, table }: Step,
  value: string,
  run: Run,
): Promise<void> => {
  const stores = { ...service.stores, ...service.stores.inBranch(where === 'branch' ? run.branchId : 1) }
  const bucketId = run.bucketId(bucket)
  const tableId = `${bucketId}.${table}`
  const at = '2026-07-16T00:00:00.000Z'
  switch (action) {
    case 'createBucket': {
      const settings = { displayName: bucketId, description: '', color: null, created: at, updated: at }
      const place = { id: bucketId, stage: 'in' as const, name: bucketId.slice(3) }
      const bucket = { ...place, ...settings, incarnation: service.stores.nextId(), revision: 1 }
      await stores.buckets.decide(await stores.buckets.inserting(bucket))
      return
    }
    case 'dropBucket':
      await stores.own.bucket(bucketId)
      await deleteBucketNow(bucketId, { ...stores, force: true, telling: () => [] })
      return
    case 'createTable': {
      await stores.own.bucket(bucketId)
      if (!(await stores.buckets.get(bucketId))) return
      const internalId = stores.nextId()
      await tablesAtOnce(stores.tables).insert({
        internalId,
        bucketId,
        name: table,
        displayName: value,
        created: at,
        lastImportDate: null,
        lastChangeDate: at,
        lastJobId: internalId,
        snapshot: emptySnapshot(['n'], []),
        revision: 1,
      })
      return
    }
    case 'rename': {
      await stores.own.table(tableId)
      const head = await stores.tables.getHead(tableId)
      if (head) await tablesAtOnce(stores.tables).rename(head, value)
      return
    }
    case 'pull':
      await service.stores.inBranch(run.branchId).own.pull(tableId)
      return
    case 'dropTable': {
      const head = await stores.tables.getHead(tableId)
      if (head) await tablesAtOnce(stores.tables).delete(head)
      return
    }
  }
}

const seenIn = async (branchId: number, run: Run): Promise<ReturnType<typeof shown>> => {
  const { buckets, tables } = service.stores.inBranch(branchId)
  const project: Project = new Map()
  for (const bucket of bucketNames) {
    const bucketId = run.bucketId(bucket)
    const heads = await tables.listInBucket(bucketId)
    const single = await Promise.all(tableNames.map(name => tables.getHead(`${bucketId}.${name}`)))
    // A list shows what the details show.
    expect(heads).toEqual(single.filter(head => head !== undefined))
    if (await buckets.get(bucketId))
      project.set(bucket, new Map(heads.map(({ name, displayName }) => [name, displayName])))
    else expect(heads).toEqual([])
  }
  return shown(project)
}

interface Run {
  branchId: number
  bucketId: (bucket: string) => string
}

describe('a branch', () => {
  it('is, with the default branch, like two projects of which one began as a copy', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async steps => {
        const branchId = service.stores.nextId()
        const run: Run = { branchId, bucketId: bucket => `in.c-${bucket}-${branchId}` }
        const model = createModel()
        for (const [index, each] of steps.entries()) {
          const value = `value ${index}`
          model.do(each, value)
          await execute(each, value, run)
        }
        expect(await seenIn(1, run)).toEqual(shown(model.first))
        expect(await seenIn(branchId, run)).toEqual(shown(model.second))
      }),
      { numRuns: isThorough ? 500 : 40 },
    )
  })
})
