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
const createBranch = async (): Promise<{ id: number; at: string }> => {
  const { results } = await target.job('POST', 'dev-branches', { name: `merges ${run} ${++made}` })
  branches.push(results.id)
  return { id: results.id, at: `branch/${results.id}/` }
}
const createConfiguration = async (at = ''): Promise<string> => {
  const id = `merged-${run}-${++made}`
  configurations.push(id)
  const body = { configurationId: id, name: 'First', configuration: { a: 1 }, state: { s: 1 } }
  expect((await target.call('POST', `${at}${configs}`, body)).status).toBe(201)
  return id
}
const get = async (path: string) => (await target.call('GET', path)).body
const request = async (branchFromId: number) =>
  (
    await target.call('POST', 'merge-request', {
      branchFromId,
      branchIntoId: 1,
      title: `Merge ${branchFromId}`,
    })
  ).body
/** What the events of a merge request say, the last one first. */
const eventsOf = async (id: number) =>
  (await get('events?limit=100'))
    .filter(({ params }: { params: { mergeRequestId?: number } }) => params.mergeRequestId === id)
    .map(({ params }: { params: object }) => params)
const move = (id: number, step: string) => target.call('PUT', `merge-request/${id}/${step}`)
const approved = async (branchFromId: number): Promise<number> => {
  const { id } = await request(branchFromId)
  for (const step of ['request-review', 'approve']) expect((await move(id, step)).status).toBe(200)
  return id
}

describe('a merge request', () => {
  it('is the only open one of its branch', async () => {
    const { id: branchFromId } = await createBranch()
    const { id: other } = await createBranch()
    const { id } = await request(branchFromId)
    const error = `Cannot create merge request. Branch id:"${branchFromId}" has the merge request ${id} already.`
    expect(await request(branchFromId)).toMatchObject({ code: 'storage.mergeRequest.validation', error })
    const toOther = { branchFromId, branchIntoId: other, title: 'x' }
    expect((await target.call('POST', 'merge-request', toOther)).body.error).toMatch(
      /Target branch is not default/,
    )
    expect(await eventsOf(id)).toEqual([{ creatorId: expect.any(Number), mergeRequestId: id }])
  })

  it('takes new words until it is approved', async () => {
    const { id: branchId } = await createBranch()
    const { id } = await request(branchId)
    const rename = (title: string) => target.call('PUT', `merge-request/${id}`, { title })
    expect(await rename('Second')).toMatchObject({ status: 200, body: { title: 'Second', description: '' } })
    for (const step of ['request-review', 'approve']) await move(id, step)
    expect(await rename('Third')).toMatchObject({
      status: 400,
      body: { code: 'storage.mergeRequest.invalidState' },
    })
    expect(await get(`merge-request/${id}`)).toMatchObject({ title: 'Second', state: 'approved' })
  })

  it('brings what the branch changed, made and deleted into the default branch', async () => {
    const changed = await createConfiguration()
    const deleted = await createConfiguration()
    await target.call('POST', `${configs}/${changed}/rows`, { rowId: 'kept', configuration: { r: 1 } })
    await target.call('POST', `${configs}/${changed}/rows`, { rowId: 'gone' })
    const { id: branchId, at } = await createBranch()
    const created = await createConfiguration(at)
    await target.call('PUT', `${at}${configs}/${changed}`, { name: 'Second', configuration: { a: 2 } })
    await target.call('PUT', `${at}${configs}/${changed}/state`, { state: { s: 'of the branch' } })
    await target.call('POST', `${at}${configs}/${changed}/rows`, { rowId: 'new', configuration: { r: 2 } })
    await target.call('DELETE', `${at}${configs}/${changed}/rows/gone`)
    await target.call('DELETE', `${at}${configs}/${deleted}`)

    const id = await approved(branchId)
    const { changeLog } = await get(`merge-request/${id}`)
    const named = changeLog.configurations.map((each: { configurationId: string }) => each.configurationId)
    expect(named.toSorted()).toEqual([changed, created, deleted].toSorted())
    expect(await target.job('PUT', `merge-request/${id}/merge`)).toMatchObject({
      status: 'success',
      operationName: 'devBranchMerge',
      results: { id, state: 'published', merge: { mergerName: expect.any(String) } },
    })
    const merged = await get(`${configs}/${changed}`)
    expect(merged).toMatchObject({
      name: 'Second',
      version: 4,
      configuration: { a: 2 },
      state: { s: 1 },
      rows: [
        { id: 'kept', version: 1 },
        { id: 'new', version: 1, configuration: { r: 2 } },
      ],
    })
    const branched = await get(`${at}${configs}/${changed}`)
    expect(merged.currentVersion.versionIdentifier).toBe(branched.currentVersion.versionIdentifier)
    expect(await get(`${configs}/${created}`)).toMatchObject({ name: 'First', version: 1, state: {} })
    expect((await target.call('GET', `${configs}/${deleted}`)).status).toBe(404)
    expect((await target.call('PUT', `${configs}/${changed}`, { name: 'Third' })).body.version).toBe(5)
  })

  it('merges nothing when one configuration was changed on both sides', async () => {
    const both = await createConfiguration()
    const one = await createConfiguration()
    const { id: branchId, at } = await createBranch()
    for (const id of [both, one]) await target.call('PUT', `${at}${configs}/${id}`, { name: 'Branch' })
    await target.call('PUT', `${configs}/${both}`, { name: 'Default' })
    const id = await approved(branchId)
    const job = await target.job('PUT', `merge-request/${id}/merge`)
    expect(job.error.code).toBe('storage.mergeRequest.conflict')
    expect(job.error.message).toMatch(new RegExp(`^Merge request ${id} cannot be merged\\. `))
    expect(job.error.contextParams.errors).toMatchObject([
      { componentId: 'ex-generic-v2', configurationId: both, isDeleted: false },
    ])
    expect((await get(`${configs}/${one}`)).name).toBe('First')

    expect((await target.call('POST', `${at}${configs}/${both}/reset-to-default`)).status).toBe(204)
    expect(await target.job('PUT', `merge-request/${id}/merge`)).toMatchObject({ status: 'success' })
    expect([(await get(`${configs}/${one}`)).name, (await get(`${configs}/${both}`)).name]).toEqual([
      'Branch',
      'Default',
    ])
  })

  it('goes through its states in order, and is canceled with its branch', async () => {
    const { id: branchId } = await createBranch()
    const { id, ...fresh } = await request(branchId)
    expect(fresh).toMatchObject({
      title: `Merge ${branchId}`,
      state: 'development',
      changeLog: { configurations: [] },
      branches: { branchFromId: branchId, branchIntoId: 1 },
      merge: { mergedAt: null, mergerId: null, mergerName: null },
      approvals: [],
    })
    for (const early of ['approve', 'merge'])
      expect((await move(id, early)).body.code).toBe('storage.mergeRequest.invalidState')
    expect((await move(id, 'request-review')).body.state).toBe('in_review')
    expect((await move(id, 'approve')).body).toMatchObject({
      state: 'approved',
      approvals: [{ approverId: expect.any(Number) }],
    })
    expect((await move(id, 'request-changes')).body).toMatchObject({ state: 'development', approvals: [] })
    await target.job('DELETE', `dev-branches/${branchId}`)
    expect((await get(`merge-request/${id}`)).state).toBe('canceled')
    expect((await get('merge-request')).map((each: { id: number }) => each.id)).toContain(id)
  })

  it.each([
    [1, 2, 'Cannot create merge request. Branch id:"2" was not found.'],
    [1, 1, 'Cannot create merge request. Source branch is default.'],
    [345, 1, 'Cannot create merge request. Branch id:"345" was not found.'],
  ])('from branch %i into branch %i is refused', async (branchFromId, branchIntoId, message) => {
    const body = { branchFromId, branchIntoId, title: 'x' }
    const { status, body: refused } = await target.call('POST', 'merge-request', body)
    expect([status, refused.error]).toEqual([400, message])
  })
})

describe('pull', () => {
  it('brings the default branch’s table as it is now, whatever the branch has', async () => {
    const bucketId = await target.createBucket('pull')
    const content = async (text: string) => ({ dataFileId: await target.upload(text) })
    const { results: table } = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 't',
      ...(await content('n\n0\n')),
    })
    const { at } = await createBranch()
    const load = async (text: string, prefix = '') =>
      target.job('POST', `${prefix}tables/${table.id}/import-async`, await content(text))
    const preview = async (prefix = '') =>
      (await target.call('GET', `${prefix}tables/${table.id}/data-preview`)).text
    await load('n\n1\n', at)
    await load('n\n2\n')
    const pull = () => target.job('POST', `${at}tables/${table.id}/pull`)
    expect(await pull()).toMatchObject({ status: 'success', results: { id: table.id } })
    expect(await preview(at)).toBe('"n"\n"2"\n')
    await load('n\n3\n')
    expect(await preview(at)).toBe('"n"\n"2"\n')

    await target.call('DELETE', `${at}buckets/${bucketId}?force=1`)
    expect(await pull()).toMatchObject({ status: 'success' })
    expect(await preview(at)).toBe('"n"\n"3"\n')
    expect((await target.call('POST', `tables/${table.id}/pull`)).status).toBe(501)
    expect((await target.call('POST', `${at}tables/${bucketId}.none/pull`)).status).toBe(404)
  })
})
