import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runExtraction, type Settings } from '../run-extraction.ts'

let outDir: string
beforeEach(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'table-loads-'))
})
afterEach(() => rm(outDir, { recursive: true, force: true }))

const users = [{ id: 1, tags: ['a', 'b'] }]
const plainUsers = [{ id: 1, name: 'Zoë' }]

/** Runs an extraction whose API answers these rows everywhere; its error, or what the manifests say. */
const manifests = async (
  settings: Settings,
  rows: object[] = plainUsers,
): Promise<{ error: string | undefined; loads: Record<string, unknown>; warnings: string[] }> => {
  const { error, result } = await runExtraction(() => rows, {
    ...settings,
    options: { outDir, ...settings.options },
  })
  const files = (await readdir(outDir)).filter(file => file.endsWith('.manifest'))
  const texts = await Promise.all(files.map(file => readFile(join(outDir, file), 'utf8')))
  const loads = Object.fromEntries(files.map((file, at) => [file.slice(0, -9), JSON.parse(texts[at] ?? '')]))
  return { error: error?.message, loads, warnings: result?.finished === true ? result.warnings : [] }
}

const marked = { endpoint: 'users', incremental: { idKey: 'id', param: 'from', type: 'number' } }
const since = {
  endpoint: 'users',
  params: { since: { function: 'date', args: ['c', { time: 'previousStart' }] } },
}
const keyed = { incremental: true, primary_key: ['id'] }
const mappings = { users: { id: { mapping: { destination: 'id', primaryKey: true } } } }
const output = (table: object) => ({ root: { storage: { output: { tables: [table] } } } })

describe('a job that asks only for changes', () => {
  it.each<[string, Settings, unknown]>([
    ['"incremental" and its own key', { config: { jobs: [{ ...marked, primaryKey: ['id'] }] } }, keyed],
    ['the last start and its own key', { config: { jobs: [{ ...since, primaryKey: 'id' }] } }, keyed],
    [
      'the last start in a body',
      {
        config: {
          jobs: [
            { endpoint: 'users', primaryKey: 'id', body: { json: { since: { time: 'previousStart' } } } },
          ],
        },
      },
      keyed,
    ],
    ['the key of a mapping', { config: { jobs: [since], mappings } }, keyed],
    [
      'the key of the output mapping',
      {
        config: { jobs: [since] },
        ...output({ source: 'users', destination: 'in.c-a.users', primary_key: ['id'] }),
      },
      { incremental: true },
    ],
    [
      'the key of an output mapping with a file name',
      { config: { jobs: [since] }, ...output({ source: 'users.csv', primary_key: ['id'] }) },
      { incremental: true },
    ],
  ])('is loaded incrementally: %s', async (_what, settings, expected) => {
    expect(await manifests(settings)).toEqual({ error: undefined, loads: { users: expected }, warnings: [] })
  })

  it.each<[string, Settings, RegExp]>([
    ['no key', { config: { jobs: [marked] } }, /Job 0 asks only .* "primaryKey": \["id"\]/],
    ['no key, by the last start', { config: { jobs: [since] } }, /Job 0 asks only .* "primaryKey": \["id"\]/],
    ['no key in compat mode', { config: { jobs: [marked], compat: true } }, /needs a primary key/],
    [
      'no key, though switched on',
      { config: { jobs: [marked], incrementalOutput: true } },
      /needs a primary key/,
    ],
    [
      'a mapping without a key',
      { config: { jobs: [since], mappings: { users: { id: 'id' } } } },
      /mappings\.users: "mapping"/,
    ],
    [
      'a table in a mapping without a key',
      {
        config: {
          jobs: [since],
          mappings: {
            users: {
              ...mappings.users,
              tags: { type: 'table', destination: 'tags', tableMapping: { '': 'tag' } },
            },
          },
        },
      },
      /its table "tags".*"parentKey"/,
    ],
    [
      'full loads asked for',
      { config: { jobs: [{ ...since, primaryKey: ['id'] }], incrementalOutput: false } },
      /would be replaced/,
    ],
    [
      'a full load asked for by the output mapping',
      {
        config: { jobs: [{ ...since, primaryKey: ['id'] }] },
        ...output({ source: 'users', incremental: false }),
      },
      /would be replaced/,
    ],
    [
      'a child of such a job without a key',
      {
        config: {
          jobs: [
            {
              ...since,
              primaryKey: ['id'],
              children: [{ endpoint: 'users/{id}/orders', dataType: 'orders', placeholders: { id: 'id' } }],
            },
          ],
        },
      },
      /Job 0\.0 asks .*job 0 above it.*jobs\.0\.children\.0/,
    ],
    [
      'iterations over what changed in a table',
      {
        parameters: { iterations: [{ customer: '1' }] },
        root: { storage: { input: { tables: [{ source: 'in.c-a.customers', changed_since: '-1 day' }] } } },
      },
      /"changed_since" of the input table in\.c-a\.customers/,
    ],
    [
      'two keys for one table',
      {
        config: {
          jobs: [
            { ...since, id: 'a', primaryKey: ['id'] },
            { ...since, id: 'b', primaryKey: ['name'] },
          ],
        },
      },
      /different primary keys/,
    ],
  ])('is refused before the first request: %s', async (_what, settings, message) => {
    const { error, requests } = await runExtraction(() => plainUsers, settings)
    expect(error?.message).toMatch(message)
    expect(requests).toEqual([])
  })

  it.each<[string, Settings, RegExp]>([
    [
      'a key that its table lacks',
      { config: { jobs: [{ ...marked, primaryKey: ['uid'] }] } },
      /column "uid".*: id, tags/,
    ],
  ])('leaves no table: %s', async (_what, settings, message) => {
    const { error, loads } = await manifests(settings, users)
    expect(error).toMatch(message)
    expect(loads).toEqual({})
    expect(await readdir(outDir)).toEqual([])
  })

  it.each([2, 1])(
    'updates a list inside its rows by a key of its own, at compatLevel %i',
    async compatLevel => {
      const config = { jobs: [{ ...since, primaryKey: ['id'] }], compatLevel }
      const { loads, error } = await manifests({ config }, users)
      expect(error).toBeUndefined()
      expect(loads).toMatchObject({
        users: { incremental: true, primary_key: ['id'] },
        users_tags: { incremental: true, primary_key: ['JSON_parentKey', 'JSON_position'] },
      })
    },
  )

  it('leaves a list to the key that storage.output.tables names for it', async () => {
    const { loads } = await manifests(
      {
        config: { jobs: [{ ...since, primaryKey: ['id'] }] },
        ...output({ source: 'users_tags', primary_key: ['data'] }),
      },
      users,
    )
    expect(loads).toMatchObject({ users_tags: { incremental: true } })
    expect(loads).not.toMatchObject({ users_tags: { primary_key: ['JSON_parentKey', 'JSON_position'] } })
  })

  it('appends without a key where the author switched incremental loads on, and says so', async () => {
    const { loads, warnings } = await manifests({ config: { jobs: [since], incrementalOutput: true } })
    expect(loads).toEqual({ users: { incremental: true } })
    expect(warnings).toEqual([expect.stringMatching(/no primary key is named.*"primaryKey": \["id"\]/)])
  })

  it('replaces its table in compat mode, as Generic Extractor does, and says so', async () => {
    const { loads, warnings } = await manifests({ config: { jobs: [since], compat: true } })
    expect(loads).toEqual({ users: { incremental: false } })
    expect(warnings).toEqual([expect.stringContaining('keeps nothing else')])
  })

  it('does not change how tables of other jobs are loaded', async () => {
    const { loads } = await manifests({
      config: {
        jobs: [
          { ...since, primaryKey: ['id'] },
          { endpoint: 'groups' },
          { endpoint: 'keyed', primaryKey: 'id' },
        ],
      },
    })
    expect(loads).toEqual({
      users: keyed,
      groups: { incremental: false },
      keyed: { incremental: false, primary_key: ['id'] },
    })
  })
})
