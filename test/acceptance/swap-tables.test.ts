import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('swap')
let made = 0
const table = async (text: string, primaryKey = ''): Promise<string> => {
  const body = { name: `t${++made}`, dataFileId: await target.upload(text), primaryKey }
  return (await target.job('POST', `buckets/${bucketId}/tables-async`, body)).results.id
}
const preview = async (id: string, at = '') =>
  (await target.call('GET', `${at}tables/${id}/data-preview`)).text
const swap = (id: string, targetTableId: string, at = '') =>
  target.job('POST', `${at}tables/${id}/swap`, { targetTableId })

describe('a swap', () => {
  it('exchanges rows, columns and keys; names, aliases and metadata stay', async () => {
    const one = await table('id,a\n1,x\n', 'id')
    const other = await table('id\n2\n3\n')
    const alias = { sourceTable: one, name: `alias${made}` }
    const { id: aliasId } = (await target.call('POST', `buckets/${bucketId}/table-aliases`, alias)).body
    const metadata = [{ key: 'k', value: 'v' }]
    await target.call('POST', `tables/${one}/metadata`, { provider: 'user', metadata })
    expect(await swap(one, other)).toMatchObject({
      status: 'success',
      operationName: 'tableSwap',
      results: { id: one, columns: ['id'], primaryKey: [], rowsCount: 2 },
    })
    expect(await preview(other)).toBe('"id","a"\n"1","x"\n')
    expect((await preview(aliasId)).split('\n').toSorted()).toEqual(['', '"2"', '"3"', '"id"'])
    expect((await target.call('GET', `tables/${other}`)).body).toMatchObject({
      primaryKey: ['id'],
      name: other.split('.')[2],
    })
    expect((await target.call('GET', `tables/${one}/metadata`)).body).toMatchObject([{ key: 'k' }])

    const dataFileId = await target.upload('id,a\n1,y\n')
    await target.job('POST', `tables/${other}/import-async`, { dataFileId, incremental: 1 })
    expect(await preview(other)).toBe('"id","a"\n"1","y"\n')
    await swap(other, one)
    expect(await preview(one)).toBe('"id","a"\n"1","y"\n')
  })

  it('in a branch leaves the default branch as it is', async () => {
    const one = await table('n\n1\n')
    const other = await table('n\n2\n')
    const { results } = await target.job('POST', 'dev-branches', { name: `swap ${Date.now()}` })
    const at = `branch/${results.id}/`
    await swap(one, other, at)
    expect([await preview(one, at), await preview(other, at)]).toEqual(['"n"\n"2"\n', '"n"\n"1"\n'])
    expect([await preview(one), await preview(other)]).toEqual(['"n"\n"1"\n', '"n"\n"2"\n'])
    await target.call('DELETE', `dev-branches/${results.id}`)
  })

  it('is refused with itself, with what is not there, and when an alias names a column that would go', async () => {
    const one = await table('n,m\n1,2\n')
    const other = await table('n\n2\n')
    const refusal = async (targetTableId: string) => {
      const reply = await target.call('POST', `tables/${one}/swap`, { targetTableId })
      return [reply.status, reply.body.code]
    }
    expect(await refusal(one)).toEqual([400, 'storage.tables.validation'])
    expect(await refusal(`${bucketId}.none`)).toEqual([404, 'storage.tables.notFound'])
    const alias = { sourceTable: one, name: `alias${made}`, aliasColumnsAutoSync: false, aliasColumns: ['m'] }
    expect((await target.call('POST', `buckets/${bucketId}/table-aliases`, alias)).status).toBe(201)
    expect(await refusal(other)).toEqual([400, 'storage.tables.cannotDeleteReferencedColumn'])
  })
})
