import { afterAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const configs = 'branch/default/components/keboola.runner-config-test/configs'

const made: string[] = []
const target = await connectTarget()
afterAll(async () => {
  for (const id of [...made, ...made]) await target.call('DELETE', `${configs}/${id}`)
})

const create = async (settings: object = {}): Promise<string> => {
  const { status, body, text } = await target.call('POST', configs, { name: 'Acceptance', ...settings })
  if (status !== 201) throw new Error(`The configuration was not created: ${text}`)
  made.push(body.id)
  return body.id
}

describe('a configuration', () => {
  it('is created, found, changed version by version, rolled back and copied', async () => {
    const id = await create({ configuration: { a: {}, b: [] } })
    const { body: listed } = await target.call('GET', configs)
    expect(listed.map((each: { id: string }) => each.id)).toContain(id)

    const changed = await target.call('PUT', `${configs}/${id}`, {
      configuration: { a: 1 },
      changeDescription: 'changed',
    })
    expect(changed.body).toMatchObject({ version: 2, configuration: { a: 1 }, changeDescription: 'changed' })
    const same = await target.call('PUT', `${configs}/${id}`, { configuration: { a: 1 } })
    expect(same.body.currentVersion).toEqual(changed.body.currentVersion)

    const { body: versions } = await target.call('GET', `${configs}/${id}/versions`)
    expect(versions.map((each: { version: number }) => each.version)).toEqual([2, 1])
    const rollback = await target.call('POST', `${configs}/${id}/versions/1/rollback`)
    expect([rollback.status, rollback.body]).toEqual([201, { version: '3' }])
    const { text } = await target.call('GET', `${configs}/${id}`)
    expect(text).toContain('"configuration":{"a":{},"b":[]}')

    const copy = await target.call('POST', `${configs}/${id}/versions/2/create`, { name: 'Copy' })
    made.push(copy.body.id)
    const copied = await target.call('GET', `${configs}/${copy.body.id}`)
    expect(copied.body).toMatchObject({ version: 1, name: 'Copy', configuration: { a: 1 } })
  })

  it('has rows, each with versions and a state of its own', async () => {
    const id = await create()
    const rows = `${configs}/${id}/rows`
    const { status, body: row } = await target.call('POST', rows, { name: 'row', configuration: { r: 1 } })
    expect([status, row.version]).toEqual([201, 1])
    await target.call('PUT', `${rows}/${row.id}`, { configuration: { r: 2 } })
    await target.call('PUT', `${rows}/${row.id}/state`, { state: { last: 5 } })
    const { body } = await target.call('GET', `${configs}/${id}`)
    expect(body).toMatchObject({
      version: 3,
      rows: [{ id: row.id, version: 2, configuration: { r: 2 }, state: { last: 5 } }],
    })
    expect((await target.call('DELETE', `${rows}/${row.id}`)).status).toBe(204)
    expect((await target.call('GET', rows)).body).toEqual([])
  })
})
