import { describe, expect, it } from 'vitest'
import { startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

const addRows = async (configId: string, ...rowIds: string[]) => {
  for (const rowId of rowIds) await routes.send('POST', `${configId}/rows`, { rowId, name: rowId })
}
const rowIds = async (configId: string) =>
  (await routes.send('GET', `${configId}/rows`)).body.map((row: { id: string }) => row.id)

describe('POST rows', () => {
  it('answers 201 with the row at version 1; the configuration gets a version with the comment', async () => {
    const id = await routes.create()
    const { status, body } = await routes.send('POST', `${id}/rows`, {
      name: 'Row',
      configuration: { a: {} },
      state: { s: 1 },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      name: 'Row',
      description: '',
      configuration: { a: {} },
      isDisabled: false,
      version: 1,
      creatorToken: { id: 42 },
      changeDescription: `Row ${body.id} added`,
      state: { s: 1 },
    })
    expect(await routes.get(id)).toMatchObject({
      version: 2,
      changeDescription: `Row ${body.id} added`,
      rows: [body],
    })
    expect((await routes.send('GET', `${id}/rows/${body.id}`)).body).toEqual(body)
  })

  it('refuses an id that is taken', async () => {
    const id = await routes.create()
    await addRows(id, 'a')
    const { status, body } = await routes.send('POST', `${id}/rows`, { rowId: 'a' })
    expect([status, body.code]).toEqual([400, 'configurationRowAlreadyExists'])
  })

  it('continues the version numbers of a deleted row', async () => {
    const id = await routes.create()
    await addRows(id, 'a')
    await routes.send('PUT', `${id}/rows/a`, { name: 'b' })
    await routes.send('DELETE', `${id}/rows/a`)
    expect((await routes.send('POST', `${id}/rows`, { rowId: 'a' })).body.version).toBe(3)
  })
})

describe('PUT rows/{id}', () => {
  it('makes a version of the row and of the configuration', async () => {
    const id = await routes.create()
    await addRows(id, 'a', 'b')
    const { body } = await routes.send('PUT', `${id}/rows/a`, { configuration: { x: [] }, isDisabled: 1 })
    expect(body).toMatchObject({
      version: 2,
      isDisabled: true,
      changeDescription: 'Row a changed',
      name: 'a',
    })
    expect(await routes.get(id)).toMatchObject({ version: 4, changeDescription: 'Row a changed' })
    expect((await routes.send('GET', `${id}/rows/b`)).body.version).toBe(1)
  })

  it('makes none of the same values', async () => {
    const id = await routes.create()
    await addRows(id, 'a')
    const before = await routes.get(id)
    await routes.send('PUT', `${id}/rows/a`, {
      configuration: {},
      state: {},
      changeDescription: 'x',
    })
    expect(await routes.get(id)).toEqual(before)
  })

  it('makes one when the name is among them, as clients count', async () => {
    const id = await routes.create()
    await addRows(id, 'a')
    expect((await routes.send('PUT', `${id}/rows/a`, { name: 'a' })).body.version).toBe(2)
  })

  it.each(['GET', 'PUT', 'DELETE'])('answers 404 to %s when there is none', async method => {
    const id = await routes.create()
    const { status, body } = await routes.send(method, `${id}/rows/x`, method === 'PUT' ? {} : undefined)
    expect([status, body.error]).toEqual([404, 'Row x not found'])
  })
})

describe('the state of a row', () => {
  it('is set without a version', async () => {
    const id = await routes.create()
    await addRows(id, 'a')
    const { body } = await routes.send('PUT', `${id}/rows/a/state`, { state: { s: [] } })
    expect(body).toMatchObject({ version: 1, state: { s: [] } })
    expect((await routes.get(id)).version).toBe(2)
  })
})

describe('rowsSortOrder', () => {
  it('is by id until it is set, then followed, appended to and taken from', async () => {
    const id = await routes.create()
    await addRows(id, 'b', 'a', 'c')
    expect(await rowIds(id)).toEqual(['a', 'b', 'c'])
    const { body } = await routes.send('PUT', id, { rowsSortOrder: ['c', 'a', 'b'] })
    expect([body.version, body.rowsSortOrder]).toEqual([5, ['c', 'a', 'b']])
    expect(body.rows.map((row: { version: number }) => row.version)).toEqual([1, 1, 1])
    expect(await rowIds(id)).toEqual(['c', 'a', 'b'])
    await addRows(id, '0')
    await routes.send('DELETE', `${id}/rows/a`)
    expect(await rowIds(id)).toEqual(['c', 'b', '0'])
    expect((await routes.get(id)).rowsSortOrder).toEqual(['c', 'b', '0'])
  })

  it.each([
    ['an id that is not there', ['a', 'b', 'x'], 'storage.components.validation'],
    ['a list that is not complete', ['a'], 'validation.invalidRowSortOrder'],
    ['an id twice', ['a', 'a'], 'validation.invalidRowSortOrder'],
  ])('refuses %s', async (_what, rowsSortOrder, code) => {
    const id = await routes.create()
    await addRows(id, 'a', 'b')
    const { status, body } = await routes.send('PUT', id, { rowsSortOrder })
    expect([status, body.code]).toEqual([400, code])
  })
})

describe('versions of a row', () => {
  it('are listed, shown, rolled back to and copied', async () => {
    const id = await routes.create()
    const other = await routes.create()
    await routes.send('POST', `${id}/rows`, { rowId: 'a', configuration: { v: 1 }, state: { s: 1 } })
    await routes.send('PUT', `${id}/rows/a`, { configuration: { v: 2 }, changeDescription: 'second' })
    await addRows(id, 'unrelated')

    const { body: versions } = await routes.send('GET', `${id}/rows/a/versions?include=configuration`)
    expect(versions).toMatchObject([
      { version: 2, changeDescription: 'second', configuration: { v: 2 } },
      { version: 1, changeDescription: 'Row a added', configuration: { v: 1 } },
    ])
    expect((await routes.send('GET', `${id}/rows/a/versions/1`)).body.configuration).toEqual({ v: 1 })
    expect((await routes.send('GET', `${id}/rows/a/versions/3`)).status).toBe(404)

    const rollback = await routes.send('POST', `${id}/rows/a/versions/1/rollback`)
    expect(rollback.status).toBe(201)
    expect(rollback.body).toMatchObject({
      version: 3,
      configuration: { v: 1 },
      changeDescription: 'Rollback to version 1',
      state: { s: 1 },
    })
    expect((await routes.get(id)).changeDescription).toBe('Row a version 1 rollback')

    const copy = await routes.send('POST', `${id}/rows/a/versions/2/create`, { targetConfigId: other })
    expect(copy.status).toBe(201)
    expect(copy.body).toMatchObject({ version: 1, configuration: { v: 2 }, state: {} })
    expect(copy.body.id).not.toBe('a')
    expect(await rowIds(other)).toEqual([copy.body.id])
  })
})
