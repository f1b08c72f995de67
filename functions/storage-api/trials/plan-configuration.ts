import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { parsedJson } from '../../lib/storage/runs/run-execution.ts'
import { planBody } from '../../lib/wire/configuration-body.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { ExtractionRuns } from '../services/extraction-runs.ts'
import { configOf, findTrialUnits } from './trial-unit.ts'

/** The first request of each job, where each header and parameter comes from, and a forecast. Sends nothing. */
export const planConfiguration = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/plan',
  summary: 'Plan of a configuration',
  tag: 'configurations',
  query: z.object({ rowId: text({ max: 100 }).optional() }),
  replies: {
    200: 'The plan of each row, or of the configuration when it has none',
    400: '`storage.components.notRunnable`',
    404: 'There is no such configuration or row',
  },
  reply: planBody,
  handle: async (request, services) => {
    // Large, and most containers never plan.
    const { describePlan } = await import('../../lib/extractor/run/describe-plan.ts')
    const { units, imageParameters } = await findTrialUnits(request, request.query.rowId, services)
    const now = () => services.now().getTime() / 1000
    const { componentId, configId } = request.params
    const lastRuns = await lastGoodRun({ componentId, configId }, services.extractionRuns)
    return ok(
      await Promise.all(
        units.map(async unit => {
          const { rowId, name, state } = unit
          try {
            const plan = await describePlan({
              config: configOf(unit, imageParameters),
              state,
              lastRun: lastRunOf(lastRuns.get(rowId)),
              now,
            })
            return { rowId, name, plan, error: null }
          } catch (error) {
            if (!(error instanceof UserError)) throw error
            return { rowId, name, plan: null, error: { code: error.code, message: error.message } }
          }
        }),
      ),
    )
  },
})

/** A result calls the rows that it loaded by another name. */
const lastRunOf = (row: Record<string, unknown> | undefined): unknown =>
  row?.['status'] === 'success' ? { ...row, rows: row['rowsLoaded'] } : undefined

/** Somebody waits for it. */
const MAX_LOOKED_AT = 40

const results = z.object({
  rows: z.array(z.looseObject({ id: z.string().nullable(), status: z.string() })),
})

type RowResult = z.infer<typeof results>['rows'][number]

/** What each row did in the last run of a configuration that ended well, by its id; `null` is a configuration without rows. */
const lastGoodRun = async (
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
