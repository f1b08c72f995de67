import { hoursBody } from '../../functions/lib/wire/hours-body.ts'
import { formatTime } from '../output/format-values.ts'
import { formatBytes } from '../transfer/progress.ts'
import type { ServiceCall } from './on-service.ts'

/** The hours in which something began, newest first. */
export const showHours = async ({ api, out }: ServiceCall, hours: number): Promise<undefined> => {
  const found = await api.get('stats/hours', hoursBody, { hours })
  out.show(found, () => {
    out.table(
      ['HOUR', 'WAITING', 'UNDER WAY', 'DONE', 'FAILED', 'IMPORTS', 'EXPORTS', 'RUNS', 'ROWS LOADED', 'READ'],
      found.hours
        .toReversed()
        .filter(each => each.waiting + each.processing + each.success + each.error > 0)
        .map(each => [
          formatTime(each.start),
          each.waiting,
          each.processing,
          each.success,
          each.error,
          each.imports,
          each.exports,
          each.runs,
          each.rowsLoaded,
          formatBytes(each.bytesRead),
        ]),
    )
    if (!found.isComplete) out.say('The oldest hours lack something: there was too much to count.')
  })
  return undefined
}
