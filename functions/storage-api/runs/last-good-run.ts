import pMap from 'p-map'
import { z } from 'zod'
import type { ExtractionRuns } from './extraction-runs.ts'
import { runResource } from './run-resource.ts'

/** Somebody waits for it, so of a configuration that seldom runs no run is found. */
const MAX_LOOKED_AT = 40
const READ_AT_ONCE = 8

const results = z.object({
  rows: z.array(z.looseObject({ id: z.string().nullable(), status: z.string() })),
})

type RowResult = z.infer<typeof results>['rows'][number]

/** What each row did in the last run of a configuration that ended well, by its id; `null` is a configuration without rows. */
export const lastGoodRun = async (
  { componentId, configId }: { componentId: string; configId: string },
  extractionRuns: ExtractionRuns,
): Promise<ReadonlyMap<string | null, RowResult>> => {
  const ids: string[] = []
  for await (const { id } of extractionRuns.list(['SUCCEEDED'])) {
    ids.push(id)
    if (ids.length >= MAX_LOOKED_AT) break
  }
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const some = ids.slice(at, at + READ_AT_ONCE)
    const found = await pMap(some, async name => ({ name, run: await extractionRuns.get(name) }))
    for (const { name, run } of found) {
      if (run === undefined) continue
      const resource = runResource({ ...run, name })
      if (resource.componentId !== componentId || resource.configId !== configId) continue
      const read = results.safeParse(resource.results)
      if (read.success) return new Map(read.data.rows.map(row => [row.id, row]))
    }
  }
  return new Map()
}
