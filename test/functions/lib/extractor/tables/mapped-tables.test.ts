import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { type Page, runSink } from './run-sink.ts'

const page = (json: string, parent?: JsonObject): Page => ({
  type: 'users',
  items: parseJson(json) as Json[],
  ...(parent === undefined ? {} : { parent }),
})

describe('a mapping', () => {
  it('writes only its paths, by its delimiter, with its key in the manifest', async () => {
    const users = {
      id: { mapping: { destination: 'user id', primaryKey: true } },
      'a/b': { delimiter: '/', mapping: { destination: 'ab' } },
      'list.1': 'second',
      tags: { forceType: true, mapping: { destination: 'tags' } },
      parent_id: { type: 'user', mapping: { destination: 'parent' } },
    }
    const json = '[{"id":1,"a":{"b":2.50},"list":["x","y"],"tags":["č"],"other":1},{"id":2}]'
    expect(await runSink([page(json, { parent_id: 7 })], { bucket: 'crm', mappings: { users } })).toEqual({
      'crm.users':
        '"user id","ab","second","tags","parent"\n"1","2.50","y","[""\\u010d""]","7"\n"2","","","","7"\n',
      'crm.users.manifest': '{"destination":"in.c-crm.users","incremental":false,"primary_key":["user id"]}',
    })
  })
  it('puts values of a list into the same table when it says so', async () => {
    const users = {
      name: 'name',
      boss: {
        type: 'table',
        destination: 'users',
        parentKey: { disable: true },
        tableMapping: { name: 'name' },
      },
    }
    const files = await runSink([page('[{"name":"a","boss":{"name":"b"}}]')], { mappings: { users } })
    expect(files['users']).toBe('"name"\n"b"\n"a"\n')
  })
  it('leaves other types to automatic conversion', async () => {
    const other: Page = { type: 'orders', items: [{ id: 1 }] }
    const files = await runSink([page('[{"id":1}]'), other], { mappings: { users: { id: 'id' } } })
    expect([files['users'], files['orders']]).toEqual(['"id"\n"1"\n', '"id"\n"1"\n'])
  })
  it('shares a table with automatic rows of the same columns, before them', async () => {
    const automatic: Page = { type: 'users!', items: [{ id: 'auto' }] }
    const files = await runSink([automatic, page('[{"id":"mapped"}]')], { mappings: { users: { id: 'id' } } })
    expect(files['users']).toBe('"id"\n"mapped"\n"auto"\n')
  })
  it('refuses to share one with other columns', async () => {
    const automatic: Page = { type: 'users!', items: [{ name: 'auto' }] }
    await expect(
      runSink([automatic, page('[{"id":1}]')], { mappings: { users: { id: 'id' } } }),
    ).rejects.toThrow("Multiple results for 'users' table have different columns!")
  })
})

describe('tables without rows', () => {
  const users = {
    id: { mapping: { destination: 'id', primaryKey: true } },
    contacts: {
      type: 'table',
      destination: 'contacts',
      parentKey: { destination: 'user_id', primaryKey: true },
      tableMapping: { email: { mapping: { destination: 'email', primaryKey: true } } },
    },
  }
  it('are written with header and manifest, also nested ones', async () => {
    expect(await runSink([], { bucket: 'crm', mappings: { users } })).toEqual({
      'crm.users': '"id"\n',
      'crm.users.manifest': '{"destination":"in.c-crm.users","incremental":false,"primary_key":["id"]}',
      'crm.contacts': '"email","user_id"\n',
      'crm.contacts.manifest':
        '{"destination":"in.c-crm.contacts","incremental":false,"primary_key":["email","user_id"]}',
    })
  })
  it('get a row of empty cells from a parent with a key and no value', async () => {
    const files = await runSink([page('[{"id":1}]')], { mappings: { users } })
    expect(files['contacts']).toBe('"email","user_id"\n"","1"\n')
  })
})

it('stopping and going on changes nothing', async () => {
  const users = {
    id: { mapping: { destination: 'id' } },
    tags: {
      type: 'table',
      destination: 'tags',
      tableMapping: { '': 'tag', sub: { type: 'table', destination: 'sub', tableMapping: { k: 'k' } } },
    },
  }
  const pages = [
    '[{"id":1,"tags":[{"sub":[{"k":1}]}]}]',
    '[{"id":2,"tags":[]}]',
    '[{"id":3,"tags":[{"sub":[{"k":2}]}]}]',
  ].map(json => page(json.replaceAll('{"sub"', '{"x":1,"sub"')))
  const mappings = {
    users: {
      ...users,
      tags: { ...users.tags, tableMapping: { x: 'tag', sub: users.tags.tableMapping.sub } },
    },
  }
  const whole = await runSink(pages, { mappings })
  expect(whole['sub']?.split('\n')).toHaveLength(4)
  expect(await runSink(pages, { mappings, stopAfter: [0, 1, 2] })).toEqual(whole)
})

describe('bad mappings', () => {
  it.each<[unknown, string]>([
    [{ users: {} }, "Empty mapping for 'users' data type in 'mappings' config."],
    [{ users: 'id' }, "Mapping must be 'array' type, 'string' type given, for 'users' data type"],
    [{ users: { a: { type: 'column' } } }, "Key 'mapping.destination' is not set for column 'a'."],
    [{ users: { a: { type: 'table', tableMapping: {} } } }, "Key 'destination' is not set for table 'a'."],
    [{ users: { a: { type: 'tabel', mapping: { destination: 'a' } } } }, 'Invalid mapping type "tabel".'],
    [{ users: { a: 'x', b: 'x' } }, "Table 'users' has two columns 'x'."],
    [
      { users: { a: 'tags', b: { type: 'table', destination: 'tags', tableMapping: { '': 'v' } } } },
      "Table 'users' has two columns 'tags'.",
    ],
    [
      { users: { b: { type: 'table', destination: 'tags', tableMapping: { id: 'users_pk' } } } },
      "Table 'tags' has two columns 'users_pk'.",
    ],
    [
      {
        users: {
          id: { mapping: { destination: 'id', primaryKey: true } },
          a: { type: 'table', destination: 'tags', tableMapping: { x: 'v' } },
          b: { type: 'table', destination: 'tags', tableMapping: { y: 'v' } },
        },
      },
      "Table 'tags' has two mappings that differ.",
    ],
  ])('%j', async (mappings, message) => {
    await expect(runSink([page('[{"a":1}]')], { mappings })).rejects.toMatchObject({
      code: 'extractor.tables.badMapping',
      message: expect.stringContaining(message),
    })
  })
  it('a path in the data type does not lead out of the folder', async () => {
    const files = await runSink([], { mappings: { '../../users': { id: 'id' } } })
    expect(Object.keys(files).sort()).toEqual(['users', 'users.manifest'])
  })
})
