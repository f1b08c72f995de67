import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { type Page, runSink } from './run-sink.ts'

const page = (json: string, rest: Omit<Page, 'items'> = {}): Page => ({
  items: parseJson(json) as Json[],
  ...rest,
})
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const legacy = { parser: 'legacy', compat: true } as const

it('a clashing parent column overwrites the data and leaves a column with a hash for a name', async () => {
  const files = await runSink(
    [page('[{"id":1,"tag":"CFO"}]', { parent: { tag: 'dev', price: '$10' } })],
    legacy,
  )
  expect(files['root']).toBe(`"id","tag","${md5('tag')}","price"\n"1","dev","","$10"\n`)
})

it('objects are flattened, lists and values that became lists are linked', async () => {
  const files = await runSink([page('[{"o":{"a":1},"t":"x"}]'), page('[{"o":null,"t":["y"]}]')], legacy)
  expect(files['root']).toMatch(/^"o_a","t"\n"1","root_[\da-f]{32}"\n"","root_[\da-f]{32}"\n$/)
  expect(files['root_t']).toMatch(
    /^"data","JSON_parentId"\n"x","root_[\da-f]{32}"\n"y","root_[\da-f]{32}"\n$/,
  )
})

it('columns of an earlier run stay, and values must fit them', async () => {
  const structure = { root: { old: 'scalar' } }
  expect((await runSink([page('[{"new":1}]')], { ...legacy, structure }))['root']).toBe(
    '"old","new"\n"","1"\n',
  )
  await expect(runSink([page('[{"old":{"x":1}}]')], { ...legacy, structure })).rejects.toThrow(
    'Unhandled type change from "scalar" to "object" in \'root.old\'',
  )
})

it('stopping and resuming changes nothing', async () => {
  const pages = [page('[{"a":1}]'), page('[{"b":[1,2]}]'), page('[{"a":2,"c":{"d":3}}]')]
  expect(await runSink(pages, { ...legacy, stopAfter: [0, 1] })).toEqual(await runSink(pages, legacy))
})
