import { z } from 'zod'
import { parsedJson } from '../../lib/storage/runs/run-execution.ts'
import type { ExtractionRuns } from './extraction-runs.ts'

/** Somebody waits for it. */
const MAX_LOOKED_AT = 40

const results = z.object({
  rows: z.array(z.looseObject({ id: z.string().nullable(), status: z.string() })),
})

type RowResult = z.infer<typeof results>['rows'][number]

/** What each row did in the last run of a configuration that ended well, by its id; `null` is a configuration without rows. */
export const lastGoodRun = async (
  place: { componentId: string; configId: string },
  extractionRuns: Pick<ExtractionRuns, 'list'>,
): Promise<ReadonlyMap<string | null, RowResult>> => {
  let seen = 0
  for await (const run of extractionRuns.list(place)) {
    if (seen++ === MAX_LOOKED_AT) break
    if (run.status !== 'SUCCEEDED') continue
    const read = results.safeParse(parsedJson(run.output))
    if (read.success) return new Map(read.data.rows.map(row => [row.id, row]))
  }
  return new Map()
}
