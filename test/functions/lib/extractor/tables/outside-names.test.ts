import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runExtraction, type Settings } from '../run-extraction.ts'
import { runSink } from './run-sink.ts'

let root: string
let outDir: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outside-'))
  outDir = join(root, 'data', 'out', 'tables')
  mkdirSync(join(root, 'home'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Runs with the output below `root`, beside a folder `home`. */
const run = (settings: Settings) =>
  runExtraction(() => [{ id: 1 }], { ...settings, options: { ...settings.options, outDir } })

const leadingOut = '../../../home/x/../'

describe('a name of the configuration that leads out of the folder is refused with its key', () => {
  it.each<[string, string, Settings]>([
    [
      'outputBucket',
      'config.outputBucket',
      { config: { outputBucket: leadingOut, jobs: [{ endpoint: 'i', dataType: 'bashrc' }] } },
    ],
    ['an absolute outputBucket', 'config.outputBucket', { config: { outputBucket: '/tmp/x/' } }],
    ['outputBucket with a NUL', 'config.outputBucket', { config: { outputBucket: 'a\0b' } }],
    ['outputBucket with a backslash', 'config.outputBucket', { config: { outputBucket: '..\\x' } }],
    ['an overlong outputBucket', 'config.outputBucket', { config: { outputBucket: 'x'.repeat(101) } }],
    ['config.id', 'config.id', { config: { id: `/${leadingOut}` } }],
    ['api.name', 'api.name', { api: { name: `/${leadingOut}` }, config: { id: '1' } }],
    [
      'an iteration',
      'iterations.0.outputBucket',
      { parameters: { iterations: [{ outputBucket: leadingOut }] } },
    ],
  ])('%s', async (_, key, settings) => {
    for (const compat of [false, true]) {
      const { error } = await run({ ...settings, options: { compat } })
      expect(error).toMatchObject({ name: 'UserError', code: 'extractor.config.invalid' })
      expect(error?.message).toContain('must be the name of a file')
      expect(error?.message).toContain(`parameters.${key}`)
      expect(readdirSync(join(root, 'home'))).toEqual([])
      expect(existsSync(outDir)).toBe(false)
    }
  })

  it('the destination of a mapping', async () => {
    const contacts = { type: 'table', destination: leadingOut, tableMapping: { a: 'a' } }
    const { error } = await run({
      config: { jobs: [{ endpoint: 'i', dataType: 'users' }], mappings: { users: { id: 'id', contacts } } },
    })
    expect(error).toMatchObject({ code: 'extractor.tables.badMapping' })
    expect(error).toMatchObject({ params: { path: 'mappings.users.contacts.destination' } })
    expect(readdirSync(join(root, 'home'))).toEqual([])
  })
})

it('the data type of a job names a file in the folder, whatever it is', async () => {
  for (const dataType of ['../../../home/bashrc', '/etc/x', 'a\\b', 'x'.repeat(400)]) {
    for (const mappings of [undefined, { [dataType]: { id: 'id' } }]) {
      const { error } = await run({ config: { jobs: [{ endpoint: 'i', dataType }], mappings } })
      expect(error).toBeUndefined()
    }
  }
  expect(readdirSync(join(root, 'home'))).toEqual([])
  expect(readdirSync(join(root, 'data', 'out'))).toEqual(['tables'])
})

it('a data type whose cleaned name is empty is an error of the configuration', async () => {
  const { error } = await run({ config: { jobs: [{ endpoint: 'i', dataType: '..' }] } })
  expect(error).toMatchObject({ name: 'UserError', code: 'extractor.tables.fileName' })
})

it('a link in the output folder is not followed', async () => {
  mkdirSync(outDir, { recursive: true })
  const target = join(root, 'home', 'profile')
  writeFileSync(target, 'mine')
  for (const link of ['items', 'items.manifest']) {
    symlinkSync(target, join(outDir, link))
    const { error } = await run({})
    expect(error).toMatchObject({ code: 'path.outside' })
    expect(readFileSync(target, 'utf8')).toBe('mine')
    rmSync(join(outDir, link))
  }
})

describe('two tables never share a file', () => {
  const orders = (extra: object) => [
    { type: 'shops', items: [{ id: 1, orders: [{ sku: 'a' }] }] },
    { type: 'shops_orders', items: [{ id: 7, total: 3, at: 'x' }], ...extra },
  ]
  it.each([
    ['a list inside of rows and a data type', orders({}), 'shops_orders', 'shops_orders_2'],
    ['also in the other order', orders({}).reverse(), 'shops_orders', 'shops_orders_2'],
    [
      'two data types of other columns',
      [
        { type: 'a/b', items: [{ x: 1 }] },
        { type: 'a_b', items: [{ y: 1, z: 2 }] },
      ],
      'a_b',
      'a_b_2',
    ],
    [
      'two lists of other columns',
      [{ type: 't', items: [{ a: { b_c: [{ x: 1 }] }, a_b: { c: [{ y: 1 }] } }] }],
      't_a_b_c',
      't_a_b_c_2',
    ],
  ])('%s', async (_, pages, one, other) => {
    for (const stopAfter of [[], [0]]) {
      const said: string[] = []
      const dataTypes = pages.map(({ type }) => type)
      const files = await runSink(pages, { dataTypes, stopAfter, warn: text => said.push(text) })
      expect(Object.keys(files)).toEqual(expect.arrayContaining([one, other]))
      for (const name of [one, other])
        expect(
          new Set(
            files[name]
              ?.trim()
              .split('\n')
              .map(line => line.split(',').length),
          ).size,
        ).toBe(1)
      expect(said.join()).toContain(`go to the table '${other}'`)
    }
  })

  it('nor do rows of one data type with other columns from their parents', async () => {
    const files = await runSink([{ items: [{ a: 1 }] }, { items: [{ a: 2 }], parent: { parent_id: 9 } }])
    expect(files['root']).toBe('"a","parent_id"\n"1",""\n"2","9"\n')
  })

  it('of which one has a clean name and the other a path', async () => {
    await expect(runSink([], { mappings: { a_b: { id: 'id' }, 'a/b': { id: 'id' } } })).rejects.toMatchObject(
      { code: 'extractor.tables.fileName' },
    )
  })

  it('of which one is called like the manifest of the other', async () => {
    const files = await runSink([], { mappings: { users: { id: 'id' }, 'users.manifest': { x: 'x' } } })
    expect(files['users.manifest']).toBe('{"incremental":false}')
    expect(files['users_manifest']).toBe('"x"\n')
  })
})

it('a checkpoint that names a file elsewhere is refused', async () => {
  const settings = { mappings: { users: { id: 'id' } } }
  const pages = [
    { type: 'users', items: [{ id: 1 }] },
    { type: 'other', items: [{ id: 1 }] },
  ]
  for (const table of ['mapped', 'automatic']) {
    const forged = (checkpoint: string): string =>
      checkpoint.replaceAll(table === 'mapped' ? /"mapped-\d.csv"/g : /"rows-\d.csv"/g, '"../x"')
    await expect(runSink(pages, { ...settings, stopAfter: [1], forged })).rejects.toMatchObject({
      code: 'path.outside',
    })
  }
})
