import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { runs } from '#support/thorough.ts'
import { readChangingList } from './changing-api.ts'
import { findingsOf, story } from './story.ts'

describe('a list that changes while it is read', () => {
  it('is named exactly by "warn", in legs too, and its tables stay as without the key', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const checked = await readChangingList(told, { completeness: 'warn' })
        const plain = await readChangingList(told, {})
        const said = findingsOf(checked.pages, checked.totals)
        expect(checked.error).toBeUndefined()
        expect(checked.pages).toEqual(plain.pages)
        expect(checked.tables).toEqual(plain.tables)
        expect(checked.result?.finished && checked.result.warnings).toEqual(
          said.length === 0 ? [] : [`Completeness of job 'items': ${said.join('; ')}.`],
        )
        expect(checked.result?.summary.jobs[0]?.completeness).toMatchObject({
          complete: said.length === 0 ? 1 : 0,
          incomplete: said.length === 0 ? 0 : 1,
        })
        expect(plain.result?.summary.jobs[0]).not.toHaveProperty('completeness')
      }),
      { numRuns: runs(40) },
    )
  })

  it('ends a run with "fail", and only then', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const { error, pages, totals, tables } = await readChangingList(told, { completeness: 'fail' })
        const said = findingsOf(pages, totals)
        if (said.length === 0) {
          expect(error).toBeUndefined()
          return
        }
        expect((error as UserError).code).toBe('extractor.job.incomplete')
        expect((error as UserError).params['findings']).toEqual(said)
        expect(tables).toEqual({})
      }),
      { numRuns: runs(40) },
    )
  })

  it('gives no finding when nothing changes', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const { result, error } = await readChangingList({ ...told, changes: [] }, { completeness: 'fail' })
        expect(error).toBeUndefined()
        expect(result?.finished && result.warnings).toEqual([])
      }),
      { numRuns: runs(20) },
    )
  })
})
