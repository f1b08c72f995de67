import { afterAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const run = Date.now().toString(36)
const component = 'ex-generic-v2'
const configurations: string[] = []
const target = await connectTarget()
afterAll(async () => {
  for (const id of configurations) for (const _ of ['trash', 'purge']) await target.call('DELETE', pathOf(id))
})

let made = 0
const pathOf = (id: string, at = '') => `${at}components/${component}/configs/${id}`
const createConfiguration = async (): Promise<string> => {
  const id = `branched-${run}-${++made}`
  configurations.push(id)
  const body = { configurationId: id, name: 'Orders', configuration: { a: 1 }, state: { s: 1 } }
  expect((await target.call('POST', `components/${component}/configs`, body)).status).toBe(201)
  await target.call('POST', `${pathOf(id)}/rows`, { rowId: 'r', name: 'Row', state: { r: 1 } })
  await target.call('POST', `${pathOf(id)}/metadata`, { metadata: [{ key: 'folder', value: 'Shop' }] })
  return id
}
const get = async (path: string) => (await target.call('GET', path)).body

describe('a configuration in a branch', () => {
  it('begins as a copy, with its comments, identifiers and metadata', async () => {
    const id = await createConfiguration()
    const original = await get(pathOf(id))
    const { at } = await target.createBranch()
    const copy = await get(pathOf(id, at))
    const comment = `Copied from default branch configuration "Orders" (${id}) version 2`
    expect(copy).toMatchObject({
      version: 1,
      changeDescription: comment,
      configuration: { a: 1 },
      state: { s: 1 },
      currentVersion: {
        created: original.currentVersion.created,
        changeDescription: comment,
        versionIdentifier: original.currentVersion.versionIdentifier,
      },
      rows: [
        {
          id: 'r',
          version: 1,
          state: { r: 1 },
          changeDescription: 'Copied from default branch configuration row "Row" (r) version 1',
        },
      ],
    })
    expect(await get(`${pathOf(id, at)}/versions`)).toMatchObject([
      {
        version: 1,
        changeDescription: `Copied from default branch configuration version "Orders" (configuration id: ${id}) version 2`,
      },
    ])
    expect(await get(`${pathOf(id, at)}/metadata`)).toMatchObject([{ key: 'folder', value: 'Shop' }])

    const changed = await target.call('PUT', pathOf(id, at), { name: 'Changed' })
    expect(changed.body.currentVersion.versionIdentifier).not.toBe(original.currentVersion.versionIdentifier)
    await target.call('POST', `${pathOf(id)}/metadata`, { metadata: [{ key: 'folder', value: 'Other' }] })
    expect(await get(`${pathOf(id, at)}/metadata`)).toMatchObject([{ value: 'Shop' }])
    expect((await get(pathOf(id))).name).toBe('Orders')
  })

  it('takes its state by the routes of states only', async () => {
    const id = await createConfiguration()
    const { at } = await target.createBranch()
    for (const [path, what] of [
      [pathOf(id, at), 'configuration'],
      [`${pathOf(id, at)}/rows/r`, 'configuration row'],
    ] as const) {
      const refused = await target.call('PUT', path, { state: { x: 1 } })
      expect([refused.status, refused.body.error]).toEqual([
        400,
        `Using 'state' parameter on ${what} update is restricted for dev/branch context. Use direct API call.`,
      ])
      const { status, body } = await target.call('PUT', `${path}/state`, { state: { x: 1 } })
      expect([status, body.version, body.state]).toEqual([200, 1, { x: 1 }])
    }
  })

  it('stays in the trash, and keeps its metadata', async () => {
    const id = await createConfiguration()
    const { at } = await target.createBranch()
    const [{ id: metadataId }] = await get(`${pathOf(id, at)}/metadata`)
    const kept = await target.call('DELETE', `${pathOf(id, at)}/metadata/${metadataId}`)
    expect([kept.status, kept.body.error]).toEqual([
      501,
      'Delete metadata is not implemented for development branch',
    ])
    expect((await target.call('DELETE', pathOf(id, at))).status).toBe(204)
    const again = await target.call('DELETE', pathOf(id, at))
    expect([again.status, again.body.code, again.body.error]).toEqual([
      400,
      'storage.components.cannotDeleteConfiguration',
      'Deleting configuration from trash is not allowed in development branches.',
    ])
    expect((await target.call('GET', pathOf(id))).status).toBe(200)
  })
})

describe('reset-to-default', () => {
  const reset = (id: string, at: string) => target.call('POST', `${pathOf(id, at)}/reset-to-default`)

  it('makes a fresh copy, whatever the branch did with the configuration', async () => {
    const id = await createConfiguration()
    const { at } = await target.createBranch()
    await target.call('PUT', pathOf(id, at), { name: 'Of the branch' })
    await target.call('POST', `${pathOf(id, at)}/rows`, { rowId: 'extra' })
    await target.call('POST', `${pathOf(id, at)}/metadata`, { metadata: [{ key: 'own', value: 'x' }] })
    await target.call('PUT', pathOf(id), { name: 'Newer' })
    expect((await reset(id, at)).status).toBe(204)
    const { currentVersion } = await get(pathOf(id))
    const fresh = await get(pathOf(id, at))
    expect(fresh).toMatchObject({
      version: 1,
      name: 'Newer',
      currentVersion: { versionIdentifier: currentVersion.versionIdentifier },
    })
    expect(fresh.rows.map((row: { id: string }) => row.id)).toEqual(['r'])
    expect((await target.call('GET', `${pathOf(id, at)}/versions/2`)).body.error).toBe('Version 2 not found')
    expect(await get(`${pathOf(id, at)}/metadata`)).toMatchObject([{ key: 'folder', value: 'Shop' }])
    expect((await target.call('PUT', pathOf(id, at), { name: 'Again' })).body.version).toBe(2)

    await target.call('DELETE', pathOf(id, at))
    expect((await reset(id, at)).status).toBe(204)
    expect((await get(pathOf(id, at))).name).toBe('Newer')
  })

  it('brings what the default branch got later, and deletes what it has deleted', async () => {
    const { at } = await target.createBranch()
    const id = await createConfiguration()
    expect((await target.call('GET', pathOf(id, at))).status).toBe(404)
    expect((await reset(id, at)).status).toBe(204)
    expect((await get(pathOf(id, at))).name).toBe('Orders')
    await target.call('DELETE', pathOf(id))
    expect((await reset(id, at)).status).toBe(204)
    expect((await target.call('GET', pathOf(id, at))).body.error).toBe(`Configuration ${id} not found`)
  })

  it('is refused in the default branch', async () => {
    const id = await createConfiguration()
    const { status, body } = await reset(id, '')
    expect([status, body.error]).toEqual([
      501,
      'Reset to default branch is not implemented for default branch',
    ])
  })
})

describe('metadata of a branch', () => {
  it('begin as those of the default branch', async () => {
    const key = `key-${run}`
    const { body } = await target.call('POST', 'branch/default/metadata', { metadata: [{ key, value: 'a' }] })
    const { id: metadataId } = body.find((each: { key: string }) => each.key === key)
    const { at } = await target.createBranch()
    await target.call('DELETE', `branch/default/metadata/${metadataId}`)
    const copied = await get(`${at}metadata`)
    expect(copied.filter((each: { key: string }) => each.key === key)).toMatchObject([{ value: 'a' }])
    const unknown = await target.call('DELETE', `${at}metadata/9`)
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Metadata with id "9" not found'])
  })
})
