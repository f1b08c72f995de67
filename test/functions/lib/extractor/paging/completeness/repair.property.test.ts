import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { runs } from '#support/thorough.ts'
import { readChangingList, type Told } from './changing-api.ts'
import { findingsOf, story } from './story.ts'

interface Pass {
  pages: number[][]
  totals: number[]
  /** The list when its last page was served. */
  list: number[]
}

/** The passes over the pages, without requests of legs that were lost. */
const passesOf = ({ pages, totals, lists, isFirst, lost }: Told): Pass[] => {
  const passes: Pass[] = []
  for (const [request, page] of pages.entries()) {
    if (lost.has(request)) continue
    if (isFirst[request] === true) passes.push({ pages: [], totals: [], list: [] })
    const pass = passes.at(-1)
    pass?.pages.push(page)
    pass?.totals.push(totals[request] ?? 0)
    if (pass !== undefined) pass.list = lists[request] ?? []
  }
  return passes
}

const idsOf = (pass: Pass | undefined): string => JSON.stringify(pass?.pages.flat())
const inOrder = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b)
const idsIn = (csv = ''): number[] => {
  const [header = [], ...rows] = csv
    .trimEnd()
    .split('\n')
    .map(line => line.replaceAll('"', '').split(','))
  return rows.map(row => Number(row[header.indexOf('id')]))
}

/** `undefined`: the last pass is taken. */
const errorOf = (passes: readonly Pass[], hasTotal: boolean): string | undefined => {
  const findings = passes.map(({ pages, totals }) => findingsOf(pages, hasTotal ? totals : []).join())
  const isSame = idsOf(passes.at(-1)) === idsOf(passes.at(-2))
  if (isSame && findings.at(-1) === '') return undefined
  if (isSame && (passes.length === 5 || findings.at(-1) === findings.at(-2)))
    return 'extractor.job.incomplete'
  return 'extractor.job.unstable'
}

const told = fc
  .record({ story, losesLegs: fc.boolean(), hasTotal: fc.boolean() })
  .map(({ story, losesLegs, hasTotal }) => ({ ...story, losesLegs, hasTotal }))

describe('"repair" of a list that changes while it is read', () => {
  /**
   * The law: when ids do not come back after they were deleted, the rows are those of the list at one moment, the one when
   * the last page of the last pass but one was served; and each has its row in the tables once.
   */
  it('gives the list as it was at one moment, or says that there was no such', async () => {
    let repaired = 0
    await fc.assert(
      fc.asyncProperty(told, async changing => {
        const read = await readChangingList(changing, { completeness: 'repair' })
        const passes = passesOf(read)
        const [before, last] = passes.slice(-2)
        const code = errorOf(passes, changing.hasTotal)
        expect((read.error as UserError | undefined)?.code).toBe(code)
        expect(passes.length).toBeLessThanOrEqual(5)
        if (code !== undefined) {
          expect(read.tables).toEqual({})
          return
        }
        for (const [index] of passes.entries())
          if (index > 0 && index < passes.length - 1)
            expect(errorOf(passes.slice(0, index + 1), changing.hasTotal)).toBe('extractor.job.unstable')
        const ids = last?.pages.flat() ?? []
        expect(inOrder(ids)).toEqual(inOrder(before?.list ?? []))
        if (ids.length > 0) {
          expect(idsIn(read.tables['items'])).toEqual(ids)
          expect(read.tables['items_tags']?.trimEnd().split('\n')).toHaveLength(ids.length + 1)
        }
        const [job] = read.result?.summary.jobs ?? []
        expect(job).toMatchObject({
          runs: 1,
          rows: ids.length,
          pages: passes.flatMap(pass => pass.pages).length,
        })
        expect(job?.completeness).toMatchObject({ complete: 1, incomplete: 0, passes: passes.length })
        expect(job?.completeness?.messages).toHaveLength(passes.length > 2 ? 1 : 0)
        if (passes.length > 2) repaired++
      }),
      { numRuns: runs(50) },
    )
    expect(repaired).toBeGreaterThan(0)
  })

  it('reads twice what does not change, finds nothing, and gives the same tables as without the key', async () => {
    await fc.assert(
      fc.asyncProperty(told, async changing => {
        const still = { ...changing, changes: [] }
        const repaired = await readChangingList(still, { completeness: 'repair' })
        const plain = await readChangingList(still, {})
        expect(repaired.error).toBeUndefined()
        expect(repaired.tables).toEqual(plain.tables)
        expect(repaired.result?.finished && repaired.result.warnings).toEqual([])
        if (!changing.losesLegs) expect(repaired.pages).toEqual([...plain.pages, ...plain.pages])
      }),
      { numRuns: runs(15) },
    )
  })
})
