import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCatalogue } from '#functions/storage-api/services/read-catalogue.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const write = (file: string, content: unknown) => writeFile(join(folder, file), JSON.stringify(content))

describe('the catalogue', () => {
  it('holds a component for each file, whole though three keys were given', async () => {
    await write('b.json', { id: 'b', type: 'writer', name: 'B' })
    await write('acme.a.json', { id: 'acme.a', type: 'extractor', name: 'A', flags: ['x'] })
    await writeFile(join(folder, 'notes.txt'), 'no component')
    const catalogue = readCatalogue(folder)
    expect(catalogue.list().map(({ id }) => id)).toEqual(['acme.a', 'b'])
    expect(catalogue.get('acme.a')).toMatchObject({
      version: 1,
      flags: ['x'],
      configurationSchema: {},
      data: {},
    })
    expect(catalogue.get('c')).toBeUndefined()
  })

  it('holds what lists name, unless a component has a file of its own', async () => {
    await write('public.json', [
      { id: 'a', type: 'writer', name: 'Listed' },
      { id: 'b', type: 'transformation', name: 'B' },
    ])
    await write('a.json', { id: 'a', type: 'writer', name: 'Own' })
    expect(readCatalogue(folder).list()).toMatchObject([
      { id: 'a', name: 'Own' },
      { id: 'b', version: 1 },
    ])
  })

  it.each([
    [
      'a component that is listed twice',
      'all.json',
      [
        { id: 'a', type: 'writer', name: 'A' },
        { id: 'a', type: 'writer', name: 'A' },
      ],
      /listed twice/,
    ],
    [
      'a misspelt key in a list',
      'all.json',
      [{ id: 'a', type: 'writer', name: 'A', flag: [] }],
      /all\.json.*\n.*flag/,
    ],
    ['a misspelt key', 'a.json', { id: 'a', type: 'writer', name: 'A', flag: [] }, /a\.json.*\n.*flag/],
    ['an unknown type', 'a.json', { id: 'a', type: 'robot', name: 'A' }, /a\.json/],
    ['an id with a slash', 'a.json', { id: 'a/b', type: 'writer', name: 'A' }, /a\.json/],
    [
      'the name of another component',
      'a.json',
      { id: 'b', type: 'writer', name: 'A' },
      /name the file after it/,
    ],
  ])('refuses %s', async (_what, file, content, message) => {
    await write(file, content)
    expect(() => readCatalogue(folder)).toThrow(message)
  })
})
