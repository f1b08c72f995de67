import { beforeAll, describe, expect, it } from 'vitest'
import { Crash, startJobsByHand } from '#support/jobs-by-hand.ts'
import { isThorough } from '#support/thorough.ts'

let branchId: number
const by = await startJobsByHand()
beforeAll(async () => {
  const { body } = await by.service.call('POST', '/v2/storage/dev-branches', { name: 'crashes' })
  branchId = body.id
  await by.execute(branchId)
})

const inBranch = (path: string) => `/v2/storage/branch/${branchId}/${path}`
const submitAppend = async (tableId: string, row: string): Promise<number> => {
  const dataFileId = await by.service.upload(`n\n${row}\n`)
  const body = { dataFileId, incremental: 1 }
  return (await by.service.call('POST', inBranch(`tables/${tableId}/import-async`), body)).body.id
}
const rowsIn = async (path: string): Promise<string[]> => {
  const { text } = await by.service.call('GET', path)
  return text.trimEnd().split('\n').slice(1).toSorted()
}
const metadataIn = async (tableId: string) =>
  (await by.service.call('GET', inBranch(`tables/${tableId}/metadata`))).body

describe('the first write of a table in a branch', () => {
  it('is completed after a crash at any of its writes, once', async () => {
    const step = isThorough ? 1 : 2
    for (let writes = 1; ; writes += step) {
      const tableId = await by.createTable()
      const metadata = [{ key: 'k', value: 'v' }]
      const path = `/v2/storage/tables/${tableId}/metadata`
      await by.service.call('POST', path, { provider: 'user', metadata })
      const jobId = await submitAppend(tableId, '1')
      by.faults.writesLeft = writes
      const crash = await by.run(jobId).then(
        () => undefined,
        (error: unknown) => error,
      )
      const hasDied = by.faults.writesLeft <= 0
      by.faults.writesLeft = Number.POSITIVE_INFINITY
      if (hasDied && crash !== undefined) expect(crash).toBeInstanceOf(Crash)
      await by.execute(jobId)
      expect((await by.jobOf(jobId)).status).toBe('success')
      expect(await rowsIn(inBranch(`tables/${tableId}/data-preview`))).toEqual(['"0"', '"1"'])
      expect(await rowsIn(`/v2/storage/tables/${tableId}/data-preview`)).toEqual(['"0"'])
      expect(await metadataIn(tableId)).toMatchObject(metadata)
      if (!hasDied) break
    }
  })

  it('may be made by two at once: both are in the table', async () => {
    const tableId = await by.createTable()
    const first = await submitAppend(tableId, '1')
    await by.run(first)
    const other = await by.createTable()
    const { own } = by.service.stores.inBranch(branchId)
    await Promise.all(Array.from({ length: 5 }, () => own.table(other)))
    const { body: renamed } = await by.service.call('PUT', inBranch(`tables/${other}`), {
      displayName: 'new',
    })
    const appended = await submitAppend(other, '2')
    await by.execute(appended)
    expect(renamed.displayName).toBe('new')
    expect((await by.service.call('GET', inBranch(`tables/${other}`))).body.displayName).toBe('new')
    expect(await rowsIn(inBranch(`tables/${other}/data-preview`))).toEqual(['"0"', '"2"'])
  })

  it('waits for no job of the default branch', async () => {
    const tableId = await by.createTable()
    const ofDefault = await by.submitImport(tableId, 'n\n7\n')
    const ofBranch = await submitAppend(tableId, '8')
    expect(await by.run(ofBranch)).toEqual({ status: 'done' })
    await by.execute(ofDefault)
    expect(await rowsIn(inBranch(`tables/${tableId}/data-preview`))).toEqual(['"0"', '"8"'])
    expect(await rowsIn(`/v2/storage/tables/${tableId}/data-preview`)).toEqual(['"0"', '"7"'])
  })

  it('fails clearly when the branch was deleted while its job waited', async () => {
    const tableId = await by.createTable()
    const { body } = await by.service.call('POST', '/v2/storage/dev-branches', { name: 'gone' })
    await by.execute(body.id)
    const dataFileId = await by.service.upload('n\n1\n')
    const path = `/v2/storage/branch/${body.id}/tables/${tableId}/import-async`
    const job = (await by.service.call('POST', path, { dataFileId })).body.id
    const deletion = (await by.service.call('DELETE', `/v2/storage/dev-branches/${body.id}`)).body.id
    await by.execute(deletion)
    await by.execute(job)
    expect(await by.jobOf(job)).toMatchObject({
      status: 'error',
      error: { code: 'notFound', message: `Branch id:"${body.id}" was not found.` },
    })
  })
})
