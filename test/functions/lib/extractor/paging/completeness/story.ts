import fc from 'fast-check'
import type { Story } from './changing-api.ts'

const change = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('delete' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('move' as const), from: fc.nat(20), to: fc.nat(20) }),
)

export const story: fc.Arbitrary<Story> = fc.record({
  paging: fc.constantFrom('offset' as const, 'pagenum' as const, 'cursor' as const),
  rows: fc.integer({ min: 0, max: 14 }),
  changes: fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 8 }),
  pagesPerLeg: fc.constantFrom(1, 2, 100),
})

const rows = (count: number): string => `${count} row${count === 1 ? '' : 's'}`

/** What must be said of the pages that were served, from the pages alone. */
export const findingsOf = (pages: readonly number[][], totals: readonly number[]): string[] => {
  const said: string[] = []
  const distinct = new Set(pages.flat()).size
  const last = totals.at(-1)
  if (last !== undefined && totals[0] !== last)
    said.push(`the API said ${rows(totals[0] ?? 0)} on page 1 and ${last} on page ${totals.length}`)
  if (last !== undefined && distinct !== last) said.push(`${distinct} of ${rows(last)}`)
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
