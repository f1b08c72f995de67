import { describe, expect, it } from 'vitest'
import type { ExtractResult } from '#lib/extractor/run/extract.ts'
import { runExtraction, type Settings } from '../run-extraction.ts'

type Finished = Extract<ExtractResult, { finished: true }>

const marked = { endpoint: 'items', primaryKey: ['id'], completeness: 'warn', deletions: 'column' }

/** Runs one after the other, each with the state of the one before. */
const runs = async (answers: unknown[], job: object, config: object = {}) => {
  const settings: Settings = { config: { jobs: [{ ...marked, ...job }], ...config } }
  let state: unknown = {}
  const ended: { table: string; result: Finished | undefined; error: Error | undefined }[] = []
  for (const answer of answers) {
    const { result, error, tables } = await runExtraction(() => answer, { ...settings, options: { state } })
    const finished = result?.finished === true ? result : undefined
    if (finished !== undefined) state = JSON.parse(JSON.stringify(finished.state))
    ended.push({ table: tables['items'] ?? '', result: finished, error })
  }
  return ended
}

describe('deletions of shaped records', () => {
  it('have the key as the table has it', async () => {
    const records = [{ rename: { no: 'id' } }, { add: { shop: 'x' } }, { cast: { id: { to: 'integer' } } }]
    const job = { primaryKey: ['shop', 'id'], completeness: { mode: 'warn', id: 'no' }, records }
    const [, second] = await runs([[{ no: 1 }, { no: 2 }], [{ no: '2' }]], job)
    expect(second?.table).toBe('"id","shop","is_deleted"\n"2","x",""\n"1","x","1"\n')
    expect(second?.result?.warnings).toEqual([])
  })

  it('are those of single elements of a list', async () => {
    const job = {
      primaryKey: ['order', 'line_no'],
      completeness: { mode: 'warn', id: 'order' },
      records: [{ explode: 'line' }, { flatten: 'line' }],
    }
    const order = (...numbers: number[]) => [{ order: 7, line: numbers.map(no => ({ no })) }]
    const [, second] = await runs([order(1, 2, 3), order(1, 3)], job)
    expect(second?.table).toBe('"order","line_no","is_deleted"\n"7","1",""\n"7","3",""\n"7","2","1"\n')
  })

  it('have a column that no shaped field may have', async () => {
    const [only] = await runs([[{ id: 1 }]], { records: [{ add: { is_deleted: 'no' } }] })
    expect(only?.error).toMatchObject({ code: 'extractor.deletions.columnTaken' })
  })
})
