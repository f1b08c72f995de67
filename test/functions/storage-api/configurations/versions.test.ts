import { describe, expect, it } from 'vitest'
import { startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

describe('GET versions', () => {
  it('lists them newest first, with their comments', async () => {
    const id = await routes.create({ configuration: { a: 1 } })
    await routes.send('PUT', id, { name: 'second', changeDescription: 'renamed' })
    await routes.send('PUT', id, { configuration: { a: 2 } })
    const versions = await routes.versions(id)
    expect(versions).toMatchObject([
      { version: 3, name: 'second', changeDescription: 'Configuration updated' },
      { version: 2, name: 'second', changeDescription: 'renamed' },
      { version: 1, name: 'Test', changeDescription: 'Configuration created' },
    ])
    const page = await routes.send('GET', `${id}/versions?limit=1&offset=1&include=configuration`)
    expect(page.body).toMatchObject([{ version: 2, configuration: { a: 1 } }])
  })

  it('shows one with its rows but without states', async () => {
    const id = await routes.create({ configuration: { a: 1 }, state: { s: 1 } })
    await routes.send('POST', `${id}/rows`, {
      rowId: 'r',
      name: 'row',
      configuration: { b: 1 },
      state: { s: 1 },
    })
    await routes.send('DELETE', `${id}/rows/r`)
    const { body } = await routes.send('GET', `${id}/versions/2`)
    expect(body).toMatchObject({
      version: 2,
      configuration: { a: 1 },
      rowsSortOrder: [],
      isDisabled: false,
      rows: [{ id: 'r', configuration: { b: 1 }, version: 1 }],
    })
    expect(body).not.toHaveProperty('state')
    expect(body.rows[0]).not.toHaveProperty('state')
  })

  it.each(['0', '3', 'x', '-1', '99999999999999999999'])('has no version %s', async version => {
    const id = await routes.create()
    await routes.send('PUT', id, { name: 'b' })
    expect((await routes.send('GET', `${id}/versions/${version}`)).status).toBe(404)
  })
})

describe('rollback', () => {
  it('makes a new version of an old one, keeps states, and answers with the number as text', async () => {
    const id = await routes.create({ configuration: { a: 1 }, description: 'first' })
    await routes.send('PUT', id, { configuration: { a: 2 }, description: 'second', state: { s: 2 } })
    const { status, body } = await routes.send('POST', `${id}/versions/1/rollback`)
    expect([status, body]).toEqual([201, { version: '3' }])
    expect(await routes.get(id)).toMatchObject({
      version: 3,
      configuration: { a: 1 },
      description: 'first',
      state: { s: 2 },
      changeDescription: 'Rollback to version 1',
    })
  })

  it('brings back rows that were deleted with their last state, and drops rows that were added', async () => {
    const id = await routes.create()
    await routes.send('POST', `${id}/rows`, { rowId: 'a', name: 'one' }) // version 2
    await routes.send('PUT', `${id}/rows/a`, { name: 'two' }) // 3
    await routes.send('PUT', `${id}/rows/a/state`, { state: { s: 1 } })
    await routes.send('DELETE', `${id}/rows/a`) // 4
    await routes.send('POST', `${id}/rows`, { rowId: 'b' }) // 5
    expect((await routes.send('POST', `${id}/versions/2/rollback`)).body).toEqual({ version: '6' })
    expect((await routes.get(id)).rows).toMatchObject([
      {
        id: 'a',
        name: 'one',
        version: 3,
        state: { s: 1 },
        changeDescription: 'Rollback to version 1 (via configuration rollback to version 2)',
      },
    ])
  })

  it('answers 404 for a version that is not there', async () => {
    const id = await routes.create()
    expect((await routes.send('POST', `${id}/versions/2/rollback`)).status).toBe(404)
  })
})

describe('copy', () => {
  it('makes an independent configuration of a version', async () => {
    const id = await routes.create({ configuration: { a: 1 }, state: { s: 1 } })
    await routes.send('POST', `${id}/rows`, { rowId: 'a', isDisabled: true, state: { r: 1 } })
    await routes.send('POST', `${id}/rows`, { rowId: 'b' })
    await routes.send('PUT', id, { rowsSortOrder: ['b', 'a'] })
    await routes.send('PUT', id, { configuration: { a: 2 } })
    const { status, body } = await routes.send('POST', `${id}/versions/4/create`, { name: 'Copy' })
    expect([status, Object.keys(body)]).toEqual([201, ['id']])
    const copy = await routes.get(body.id)
    expect(copy).toMatchObject({
      version: 1,
      name: 'Copy',
      configuration: { a: 1 },
      state: {},
      rowsSortOrder: ['b', 'a'],
      changeDescription: `Copied from configuration "Test" (${id}) version 4`,
      rows: [
        { id: 'b', version: 1 },
        { id: 'a', version: 1, isDisabled: true, state: { r: 1 } },
      ],
    })
    await routes.send('PUT', `${body.id}/rows/a`, { name: 'changed' })
    expect((await routes.send('GET', `${id}/rows/a`)).body.name).toBe('')
  })

  it('needs a name', async () => {
    const id = await routes.create()
    const { status, body } = await routes.send('POST', `${id}/versions/1/create`, {})
    expect([status, body.code]).toEqual([400, 'storage.components.validation'])
  })
})

describe('a hundred writers at once', () => {
  it('make a hundred versions, none lost and none doubled', async () => {
    const id = await routes.create({ configuration: {} })
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        routes.send('PUT', id, { configuration: { writer: index }, changeDescription: `by ${index}` }),
      ),
    )
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    const numbers = replies.map(({ body }) => body.version).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 2))
    const { body: versions } = await routes.send('GET', `${id}/versions?limit=1000`)
    expect(versions.map((entry: { version: number }) => entry.version)).toEqual(
      Array.from({ length: 101 }, (_, index) => 101 - index),
    )
    const said = new Set(versions.map((entry: { changeDescription: string }) => entry.changeDescription))
    expect(said.size).toBe(101)
    for (const { body } of replies.slice(0, 10)) {
      const { body: version } = await routes.send('GET', `${id}/versions/${body.version}`)
      expect(version.configuration).toEqual(body.configuration)
    }
  })
})
