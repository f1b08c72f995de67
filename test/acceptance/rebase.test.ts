import { afterAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const run = Date.now().toString(36)
const configs = 'components/ex-generic-v2/configs'
const branches: number[] = []
const configurations: string[] = []
const target = await connectTarget()
afterAll(async () => {
  for (const id of branches) await target.call('DELETE', `dev-branches/${id}`)
  for (const id of configurations)
    for (const _ of ['trash', 'purge']) await target.call('DELETE', `${configs}/${id}`)
})

let made = 0
/** A configuration with a row, and a branch that began with it. */
const branched = async () => {
  const id = `rebased-${run}-${++made}`
  configurations.push(id)
  await target.call('POST', configs, { configurationId: id, name: 'First', configuration: { a: 1 } })
  await target.call('POST', `${configs}/${id}/rows`, { rowId: 'one', configuration: { r: 1 } })
  const { results } = await target.job('POST', 'dev-branches', { name: `rebase ${run} ${made}` })
  branches.push(results.id)
  return { id, branchId: results.id as number, at: `branch/${results.id}/${configs}/${id}` }
}
/** Both sides have changed it since. */
const conflicting = async () => {
  const found = await branched()
  await target.call('PUT', found.at, { name: 'Branch' })
  await target.call('PUT', `${configs}/${found.id}`, { name: 'Default', configuration: { a: 3 } })
  const body = { branchFromId: found.branchId, branchIntoId: 1, title: `Merge ${found.id}` }
  const request = (await target.call('POST', 'merge-request', body)).body
  return { ...found, conflicts: `merge-request/${request.id}/conflicts`, requestId: request.id }
}
const get = async (path: string) => (await target.call('GET', path)).body
const rowOne = { id: 'one', name: '', description: '', isDisabled: false, configuration: { r: 1 } }

describe('the difference of a configuration', () => {
  it('shows what the branch began with, what it has and what the default branch has', async () => {
    const { id, at } = await conflicting()
    await target.call('POST', `${at}/rows`, { rowId: 'two', name: 'Second', configuration: { r: 2 } })
    const { base, ours, theirs } = await get(`${at}/diff`)
    expect(base).toMatchObject({ version: 1, isDeleted: false, diff: { name: 'First', rows: [rowOne] } })
    expect(ours).toMatchObject({ version: 3, diff: { name: 'Branch', configuration: { a: 1 } } })
    expect(ours.diff.rows.map((row: { id: string }) => row.id)).toEqual(['one', 'two'])
    expect(theirs).toEqual({
      version: 3,
      isDeleted: false,
      diff: {
        name: 'Default',
        description: '',
        changeDescription: 'Configuration updated',
        isDisabled: false,
        configuration: { a: 3 },
        rows: [rowOne],
      },
    })
    expect(await target.call('GET', `${configs}/${id}/diff`)).toMatchObject({
      status: 400,
      body: { code: 'storage.configuration.diffNotAvailableOnDefaultBranch' },
    })
  })

  it('has no side for what never was there, and a deleted one for what is deleted', async () => {
    const { id, at, branchId } = await branched()
    await target.call('DELETE', at)
    expect(await get(`${at}/diff`)).toMatchObject({ base: {}, ours: { isDeleted: true }, theirs: {} })
    const own = `branch/${branchId}/${configs}`
    await target.call('POST', own, { configurationId: `own-${id}`, name: 'Own' })
    const { base, ours, theirs } = await get(`${own}/own-${id}/diff`)
    expect([base, ours.diff.name, theirs]).toEqual([null, 'Own', null])
    expect(await target.call('GET', `${own}/nowhere-${id}/diff`)).toMatchObject({ status: 404 })
  })
})

describe('a rebase', () => {
  it('ends the conflict, and the merge brings what was resolved', async () => {
    const { id, at, conflicts, requestId } = await conflicting()
    const [conflict, ...others] = await get(conflicts)
    expect(others).toEqual([])
    expect(conflict).toMatchObject({
      componentId: 'ex-generic-v2',
      configurationId: id,
      isDeleted: false,
      message: expect.stringContaining(
        `Configuration "${id}" for component "ex-generic-v2" in the dev branch`,
      ),
    })
    const { theirs } = await get(`${at}/diff`)
    const rows = [{ name: 'New', configuration: { r: 3 } }, rowOne]
    const reply = await target.call('POST', `${at}/rebase`, {
      ...{ version: theirs.version, name: 'Both', rows, description: null, configuration: { a: 4 } },
      ...{ changeDescription: 'Resolved', isDisabled: false },
    })
    expect(reply).toMatchObject({
      status: 200,
      body: { version: 2, name: 'Both', changeDescription: 'Resolved', configuration: { a: 4 } },
    })
    expect(reply.body.rows).toMatchObject([
      { name: 'New', version: 1 },
      { id: 'one', version: 1 },
    ])
    expect(await get(`${at}/versions/1`)).toMatchObject({ name: 'Default', rows: [{ id: 'one' }] })
    expect(await get(conflicts)).toEqual([])

    for (const step of ['request-review', 'approve'])
      await target.call('PUT', `merge-request/${requestId}/${step}`)
    expect(await target.job('PUT', `merge-request/${requestId}/merge`)).toMatchObject({ status: 'success' })
    const merged = await get(`${configs}/${id}`)
    expect(merged).toMatchObject({ version: 4, name: 'Both', configuration: { a: 4 } })
    expect(merged.rows.map((row: { name: string }) => row.name)).toEqual(['New', ''])
    expect(await get(conflicts)).toEqual([])
  })

  it('takes what was resolved in the form of the difference, and keeps states', async () => {
    const { at } = await conflicting()
    await target.call('PUT', `${at}/state`, { state: { s: 'configuration' } })
    await target.call('PUT', `${at}/rows/one/state`, { state: { s: 'row' } })
    const { ours, theirs } = await get(`${at}/diff`)
    const diff = { ...ours.diff, rows: [{ ...rowOne, configuration: { r: 9 } }] }
    await target.call('POST', `${at}/rebase`, { version: theirs.version, diff })
    expect(await get(at)).toMatchObject({
      version: 2,
      name: 'Branch',
      state: { s: 'configuration' },
      rows: [{ id: 'one', version: 2, configuration: { r: 9 }, state: { s: 'row' } }],
    })
  })

  it('of a version alone deletes the configuration', async () => {
    const { at, conflicts } = await conflicting()
    const { theirs } = await get(`${at}/diff`)
    const reply = await target.call('POST', `${at}/rebase`, { version: theirs.version })
    expect(reply).toMatchObject({ status: 200, body: { version: 2, isDeleted: true } })
    expect(await get(conflicts)).toEqual([])
    expect(await target.call('GET', at)).toMatchObject({ status: 404 })
  })

  it.each([
    ['no rows', { version: 1, name: 'x' }, { status: 400, body: { code: 'storage.components.validation' } }],
    ['no name', { version: 1, rows: [] }, { status: 400, body: { code: 'storage.components.validation' } }],
    [
      'a row twice',
      { version: 1, name: 'x', rows: [{ id: 'a' }, { id: 'a' }] },
      { status: 400, body: { code: 'storage.components.validation' } },
    ],
    ['an unknown version', { version: 999 }, { status: 404, body: { error: 'Version 999 not found' } }],
  ])('is refused with %s, and changes nothing', async (_what, body, wanted) => {
    const { at } = await branched()
    expect(await target.call('POST', `${at}/rebase`, body)).toMatchObject(wanted)
    expect(await get(at)).toMatchObject({ version: 1, name: 'First' })
  })

  it('is of development branches only', async () => {
    const { id } = await branched()
    expect(await target.call('POST', `${configs}/${id}/rebase`, { version: 1 })).toMatchObject({
      status: 400,
      body: { code: 'storage.configuration.rebaseNotAvailableOnDefaultBranch' },
    })
  })
})
