import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { mapColumns } from '#lib/table-engine/csv/map-columns.ts'
import { runs } from '#support/thorough.ts'
import { type Page, runSink } from './run-sink.ts'

const items = (json: string): Json[] => parseJson(json) as Json[]
const page = (json: string, rest: Omit<Page, 'items'> = {}): Page => ({ items: items(json), ...rest })

describe('files', () => {
  it('without a bucket are named after the table, and the manifest names no destination', async () => {
    expect(await runSink([page('[{"id":1}]', { type: 'users' })])).toEqual({
      users: '"id"\n"1"\n',
      'users.manifest': '{"incremental":false}',
    })
  })
  it('with a bucket carry its name, and the manifest the destination', async () => {
    const files = await runSink([page('[{"id":1}]', { type: 'users' })], {
      bucket: 'crm',
      loadOf: () => ({ incremental: true, primaryKey: ['id'] }),
    })
    expect(files['crm.users.manifest']).toBe(
      '{"destination":"in.c-crm.users","incremental":true,"primary_key":["id"]}',
    )
  })
  it('of types without rows are not written', async () => {
    expect(await runSink([page('[]'), page('[null]')])).toEqual({})
  })
  it('leave nothing in the spool folder', async () => {
    const root = await mkdtemp(join(tmpdir(), 'millrace-spool-'))
    try {
      const sink = createTableSink({ folder: join(root, 'spool') })
      sink.add('a', items('[{"x":[1]}]'))
      const tables = await sink.finish(join(root, 'out'))
      expect(await readdir(root)).toEqual(['out'])
      expect(tables.map(({ name, columns, rows }) => ({ name, columns, rows }))).toEqual([
        { name: 'a', columns: ['x'], rows: 1 },
        { name: 'a_x', columns: ['data', 'JSON_parentId'], rows: 1 },
      ])
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
})

describe('columns', () => {
  it('that first occur on a later page are empty in earlier rows, next to the others of their object', async () => {
    const files = await runSink([
      page('[{"o":{"a":1},"z":2}]'),
      page('[{"o":{"b":"x\\n\\"y\\""},"z":3,"n":4}]'),
    ])
    expect(files['root']).toBe('"o_a","o_b","z","n"\n"1","","2",""\n"","x\n""y""","3","4"\n')
  })
  it('of parents come last and are renamed for a later column of their name', async () => {
    const parent: JsonObject = { parent_id: 7 }
    const files = await runSink([
      page('[{"id":1}]', { parent }),
      page('[{"id":2,"parent":{"id":3}}]', { parent }),
    ])
    expect(files['root']).toBe('"id","parent_id","parent_id_u0"\n"1","","7"\n"2","3","7"\n')
  })
  it('of a null that turns out to be an object go', async () => {
    expect((await runSink([page('[{"a":null}]'), page('[{"a":{"b":1}}]')]))['root']).toBe('"a_b"\n""\n"1"\n')
  })
  it('of a value that becomes a list on a later page hold links from the first row on', async () => {
    const files = await runSink([page('[{"t":"x"}]'), page('[{"t":["y","z"]}]')])
    const [, first, second] = (files['root'] ?? '').split('\n')
    expect(files['root_t']).toBe(`"data","JSON_parentId"\n"x",${first}\n"y",${second}\n"z",${second}\n`)
  })
})

describe('null where a list was', () => {
  const pages = [page('[{"id":1,"t":["x"]}]'), page('[{"id":2,"t":null}]')]
  it('loses nothing', async () => {
    expect((await runSink(pages))['root_t']).toMatch(/^"data","JSON_parentId"\n"x","root_[\da-f]{32}"\n$/)
  })
  it('makes Generic Extractor forget the values of the list, and so does compat', async () => {
    expect((await runSink(pages, { compat: true }))['root_t']).toMatch(
      /^"JSON_parentId"\n"root_[\da-f]{32}"\n$/,
    )
  })
})

describe('numbers', () => {
  const json = '[{"long":12345678901234567890,"price":1.50,"exp":1e5,"float":0.1234567890123456,"zero":-0}]'
  it('keep the text that the API sent', async () => {
    expect((await runSink([page(json)]))['root']?.split('\n')[1]).toBe(
      '"12345678901234567890","1.50","1e5","0.1234567890123456","-0"',
    )
  })
  it('come out as in Generic Extractor with compat', async () => {
    expect((await runSink([page(json)], { compat: true }))['root']?.split('\n')[1]).toBe(
      '"1.2345678901235E+19","1.5","100000","0.12345678901235","-0"',
    )
  })
  it('do not change links', async () => {
    const rows = '[{"id":1.50,"big":12345678901234567890,"t":[1]}]'
    const link = (files: Record<string, string>) => /root_[\da-f]{32}/.exec(files['root_t'] ?? '')?.[0]
    const kept = link(await runSink([page(rows)]))
    expect(kept).toBeDefined()
    expect(kept).toBe(link(await runSink([page(rows)], { compat: true })))
  })
})

describe('with types, columns are text where JSON has a text among their values', () => {
  const cases: [string, Page[], object, Record<string, [csv: string, texts: string[]]>][] = [
    [
      'numbers keep their digits',
      [page('[{"n":1.10},{"n":12345678901234567890},{"n":null}]')],
      {},
      { root: ['n 1.10 12345678901234567890 ', []] },
    ],
    [
      'texts that look like numbers and times',
      [page('[{"v":"1.10","d":"2026-01-31","b":"true"}]')],
      {},
      { root: ['v,d,b 1.10,2026-01-31,true', ['v', 'd', 'b']] },
    ],
    ['truth has its words', [page('[{"b":true},{"b":false}]')], {}, { root: ['b true false', []] }],
    [
      'several kinds, of several pages',
      [page('[{"x":1,"y":1},{"x":null}]'), page('[{"x":"a","y":true}]')],
      {},
      { root: ['x,y 1,1 , a,true', ['x', 'y']] },
    ],
    [
      'objects and lists',
      [page('[{"o":{"a":"1","n":2},"l":[1,2],"t":["3"],"j":[[4]]}]')],
      {},
      {
        root: ['o_a,o_n,l,t,j 1,2,LINK,LINK,LINK', ['o_a', 'l', 't', 'j']],
        root_l: ['data,JSON_parentId 1,LINK 2,LINK', ['JSON_parentId']],
        root_t: ['data,JSON_parentId 3,LINK', ['data', 'JSON_parentId']],
        root_j: ['data,JSON_parentId [4],LINK', ['data', 'JSON_parentId']],
      },
    ],
    [
      'a value that becomes a list',
      [page('[{"l":"1"}]'), page('[{"l":[2]}]')],
      {},
      {
        root: ['l LINK LINK', ['l']],
        root_l: ['data,JSON_parentId 1,LINK 2,LINK', ['data', 'JSON_parentId']],
      },
    ],
    [
      'values of parents',
      [page('[{"id":1}]', { parent: { p_id: 7, p_zip: '007' } })],
      {},
      { root: ['id,p_id,p_zip 1,7,007', ['p_zip']] },
    ],
    [
      'mappings',
      [page('[{"a":"1","b":true,"kids":[{"n":5}]}]'), page('[{"a":2,"kids":[{"n":6}]}]')],
      {
        mappings: {
          root: {
            a: 'one',
            b: { type: 'column', mapping: { destination: 'two' } },
            kids: { type: 'table', destination: 'kids', tableMapping: { n: 'n' } },
          },
        },
      },
      {
        root: ['one,two,kids 1,true,LINK 2,,LINK', ['one', 'kids']],
        kids: ['n,root_pk 5,LINK 6,LINK', ['root_pk']],
      },
    ],
  ]
  it.each(cases)('%s', async (_, pages, options, expected) => {
    for (const stopAfter of [[], [0]]) {
      const warnings: string[] = []
      const warn = (message: string) => warnings.push(message)
      const files = await runSink(pages, { types: 'detect', warn, stopAfter, ...options })
      const found = Object.keys(files)
        .filter(name => !name.endsWith('.manifest'))
        .map(name => {
          const cells = parse(files[name] ?? '') as string[][]
          const text = cells
            .map(row => row.map(cell => (/[0-9a-f]{32}$/.test(cell) ? 'LINK' : cell)).join(','))
            .join(' ')
          const { types, text_columns: texts } = JSON.parse(files[`${name}.manifest`] ?? '')
          return [name, types, text, texts]
        })
      expect(found.sort()).toEqual(
        Object.entries(expected)
          .map(([name, [csv, texts]]) => [name, 'detect', csv, texts])
          .sort(),
      )
      const isMixed = /several kinds|mappings|becomes/.test(_)
      expect(warnings.filter(message => message.includes('are text: '))).toHaveLength(isMixed ? 1 : 0)
    }
  })

  it('links are those of tables without types, and with compat nothing has types', async () => {
    const pages = [page('[{"ok":true,"l":[1]}]')]
    const [typed, plain, compat] = await Promise.all([
      runSink(pages, { types: 'detect' }),
      runSink(pages),
      runSink(pages, { types: 'detect', compat: true }),
    ])
    expect(typed['root_l']).toBe(plain['root_l'])
    expect(compat).toEqual(await runSink(pages, { compat: true }))
  })
})

describe('incompatible values', () => {
  it.each([
    ['[{"a":1},{"a":{"b":1}}]', 'Unhandled nodeType change from "scalar" to "object" in "root.[].a"'],
    ['[{"a":[1]},{"a":[{"b":1}]}]', 'Unhandled nodeType change from "scalar" to "object" in "root.[].a.[]"'],
    ['[{"a":{}},{"a":1}]', 'Unhandled nodeType change from "object" to "scalar" in "root.[].a"'],
  ])('%s', async (json, message) => {
    await expect(runSink([page(json)])).rejects.toMatchObject({
      code: 'extractor.tables.incompatibleTypes',
      message: `Error parsing response JSON: ${message} (a mapping with "forceType" takes both, as JSON)`,
    })
  })
  it('with what an earlier run has learnt', async () => {
    const structure = {
      data: { _root: { '[]': { _a: { nodeType: 'object' }, nodeType: 'object' }, nodeType: 'array' } },
    }
    await expect(runSink([page('[{"a":1}]')], { structure })).rejects.toThrow('from "object" to "scalar"')
  })
  it('in a parent column', async () => {
    const parent: JsonObject = { parent_id: [1] }
    await expect(runSink([page('[{"a":1}]', { parent })])).rejects.toThrow(
      "The value of 'parent_id' is not a single value",
    )
  })
})

it('data nested without end are refused, not a crash', async () => {
  const depth = 200_000
  const json = `[${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]`
  await expect(runSink([page(json)])).rejects.toMatchObject({ code: 'extractor.tables.tooDeep' })
})

it('new columns on every page end in one table', async () => {
  const pages = Array.from({ length: 60 }, (_, i) => page(`[{"id":${i},"k${i}":"v"}]`))
  const lines = (await runSink(pages))['root']?.split('\n') ?? []
  expect(lines).toHaveLength(62)
  expect(lines.slice(0, -1).every(line => line.split(',').length === 61)).toBe(true)
})

it('a list inside a list is warned of once, in however many legs', async () => {
  const warnings: string[] = []
  const files = await runSink([page('[{"a":[[1,"č/"]]},{"a":[[2]]}]'), page('[{"a":[[3]]}]')], {
    warn: message => warnings.push(message),
    stopAfter: [0],
  })
  expect(warnings).toEqual(["Converting nested array 'root.[].a.[]' to JSON string."])
  expect(files['root_a']).toContain('"[1,""\\u010d\\/""]"')
})

it('pages with other parent columns than the first give rows as wide as they are in Generic Extractor, with compat', async () => {
  const files = await runSink([page('[{"a":1}]'), page('[{"a":2}]', { parent: { day: 'mon' } })], {
    compat: true,
  })
  expect(files['root']).toBe('"a"\n"1"\n"2","mon"\n')
})

it('a link keeps its column when a later table has the name of it in its data', async () => {
  const rows = '[{"id":1,"l":[{"x":1}]},{"id":2,"m":[{"JSON_parentId":7}]},{"id":3,"l":[{"x":2}]}]'
  const { root = '', root_l, root_m } = await runSink([page(rows)])
  const [first, second, third] = [...root.matchAll(/root_[\da-f]{32}/g)].map(([link]) => link)
  expect(root_l).toBe(`"x","JSON_parentId"\n"1","${first}"\n"2","${third}"\n`)
  expect(root_m).toBe(`"JSON_parentId","JSON_parentId_u0"\n"7","${second}"\n`)
})

it('what was learnt can be given to the next run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-learnt-'))
  try {
    const sink = createTableSink({ folder })
    sink.add('root', items('[{"old":1,"x":[1]}]'))
    const { struct, structVersion } = sink.structure()
    await sink.finish(join(folder, 'out'))
    expect(structVersion).toBe(3)
    const files = await runSink([page('[{"new":1}]')], { structure: JSON.parse(JSON.stringify(struct)) })
    expect(files['root']).toBe('"old","x","new"\n"","","1"\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('tables can be built again from response bodies', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-source-'))
  try {
    const sink = createTableSink({ folder: join(root, 'spool') })
    for (const json of [
      '{"d":{"items":[{"2":"x","1":1.50}]},"n":1}',
      '{"d":{"items":[{"2":["y"],"1":2}]}}',
    ]) {
      const body = Buffer.from(json)
      const parsed = parseJson(body) as { d: { items: Json[] } }
      sink.add('root', parsed.d.items, { source: { body, path: ['d', 'items'] } })
    }
    await sink.finish(join(root, 'out'))
    const table = await readFile(join(root, 'out', 'root'), 'utf8')
    expect(table).toMatch(/^"2","1"\n"root_[\da-f]{32}","1.50"\n"root_[\da-f]{32}","2"\n$/)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})

it('any texts come back from the CSV as they were', async () => {
  const text = fc.string({ unit: 'grapheme' }).map(value => value.replaceAll('\r', ''))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ a: text, b: text }), { minLength: 1, maxLength: 5 }),
      async rows => {
        const files = await runSink([{ items: [...rows, { a: 'end', b: 'end', c: '1' }] }])
        const read = parse(files['root'] ?? '', { columns: true }) as unknown[]
        expect(read).toEqual([...rows.map(row => ({ ...row, c: '' })), { a: 'end', b: 'end', c: '1' }])
      },
    ),
    { numRuns: runs(60) },
  )
})

it('an item that does not fit leaves no partial row', async () => {
  // Null has hidden that the list holds objects, so Generic Extractor takes the list of lists.
  const pages = [page('[{"r":null},{"r":[{}]}]'), page('[{"r":[[1]]}]')]
  expect((await runSink(pages, { compat: true }))['root_r']).toMatch(
    /^"data","JSON_parentId"\n"","root_\w+"\n"\[1\]"/,
  )
})

const keys = fc.uniqueArray(
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
    fc.constantFrom(
      ...[
        'id',
        'ID',
        'i-d',
        'i_d',
        'oid',
        'OID',
        'ид',
        'имя',
        'ID я',
        'ID ю',
        'a.b',
        '- ',
        '-',
        ' ',
        'x'.repeat(70),
      ],
    ),
  ),
  { minLength: 1, maxLength: 12 },
)

it('names of columns are such as a load takes, also of keys that come in a later run', async () => {
  const columnsOf = async (names: readonly string[], structure: unknown): Promise<unknown> => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-names-'))
    const sink = createTableSink({ folder, structure })
    sink.add('a', [Object.fromEntries(names.map(name => [name, 1]))])
    const [table] = await sink.finish(join(folder, 'out'))
    await rm(folder, { recursive: true, force: true })
    const mapped = mapColumns({ names: table?.columns ?? [], tableColumns: undefined, delimiter: ',' })
    expect(mapped.importedColumns).toHaveLength(names.length)
    return sink.structure()
  }
  await fc.assert(
    fc.asyncProperty(keys, fc.nat(), async (all, cut) => {
      const known = await columnsOf(all.slice(0, (cut % all.length) + 1), undefined)
      await columnsOf(all, known)
    }),
    { numRuns: runs(40) },
  )
})
