import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { readChangingList, type Story } from './changing-api.ts'

const change = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('delete' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('move' as const), from: fc.nat(20), to: fc.nat(20) }),
)

const story: fc.Arbitrary<Story> = fc.record({
  paging: fc.constantFrom('offset' as const, 'pagenum' as const, 'cursor' as const),
  rows: fc.integer({ min: 0, max: 14 }),
  changes: fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 8 }),
  pagesPerLeg: fc.constantFrom(1, 2, 100),
})

const rows = (count: number): string => `${count} row${count === 1 ? '' : 's'}`

/** What must be said of the pages that were served, from the pages alone. */
const expected = (pages: readonly number[][], totals: readonly number[]): string[] => {
  const said: string[] = []
  const distinct = new Set(pages.flat()).size
  const last = totals.at(-1) ?? 0
  if (totals[0] !== last)
    said.push(`the API said ${rows(totals[0] ?? 0)} on page 1 and ${last} on page ${totals.length}`)
  if (distinct !== last) said.push(`${distinct} of ${rows(last)}`)
  for (const [later, page] of pages.entries()) {
    for (let earlier = 0; earlier < later; earlier++) {
      const firstOn = pages[earlier]?.filter(id => !pages.slice(0, earlier).flat().includes(id)) ?? []
      const shared = page.filter(id => firstOn.includes(id)).length
      if (shared > 0)
        said.push(
          `pages ${earlier + 1} and ${later + 1} share ${shared} id${shared === 1 ? '' : 's'}: rows moved while they were read`,
        )
    }
  }
  return said
}

describe('a list that changes while it is read', () => {
  it('is named exactly by "warn", in legs too, and its tables stay as without the key', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const checked = await readChangingList(told, { completeness: 'warn' })
        const plain = await readChangingList(told, {})
        const said = expected(checked.pages, checked.totals)
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
      { numRuns: 40 },
    )
  })

  it('ends a run with "fail", and only then', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const { error, pages, totals, tables } = await readChangingList(told, { completeness: 'fail' })
        const said = expected(pages, totals)
        if (said.length === 0) {
          expect(error).toBeUndefined()
          return
        }
        expect((error as UserError).code).toBe('extractor.job.incomplete')
        expect((error as UserError).params['findings']).toEqual(said)
        expect(tables).toEqual({})
      }),
      { numRuns: 40 },
    )
  })

  it('gives no finding when nothing changes', async () => {
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const { result, error } = await readChangingList({ ...told, changes: [] }, { completeness: 'fail' })
        expect(error).toBeUndefined()
        expect(result?.finished && result.warnings).toEqual([])
      }),
      { numRuns: 20 },
    )
  })
})
