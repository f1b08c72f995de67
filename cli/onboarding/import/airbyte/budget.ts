import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Report } from '../report.ts'

/** `budget` and `maxConcurrency` of `api.http` for the limits of a manifest. */
export const budgetOf = (manifest: JsonObject, report: Report): JsonObject => {
  const concurrency = isObject(manifest['concurrency_level']) ? manifest['concurrency_level'] : {}
  const level = concurrency['default_concurrency']
  if (level !== undefined && typeof level !== 'number')
    report.lost('concurrency_level', 'a number that is not fixed')
  const budget = isObject(manifest['api_budget']) ? manifest['api_budget'] : {}
  const [policy, ...others] = [budget['policies'] ?? []].flat().filter(isObject)
  if (others.length > 0)
    report.lost('api_budget.policies', 'only the first of several limits is taken, for all requests')
  const rates = [policy?.['rates'] ?? []].flat().filter(isObject)
  const [rate = {}] = rates
  if (rates.length > 1) report.lost('api_budget.policies.0.rates', 'only the first of several rates is taken')
  const requests = Number(policy?.['call_limit'] ?? rate['limit'])
  const seconds = secondsOf(policy?.['period'] ?? rate['interval'])
  const isKnown = requests > 0 && seconds !== undefined
  if (policy !== undefined && !isKnown)
    report.lost('api_budget.policies.0', 'a limit without a fixed number and time')
  return {
    ...(isKnown ? { budget: { requests, seconds } } : {}),
    ...(typeof level === 'number' ? { maxConcurrency: level } : {}),
  }
}

/** Of `PT1M`, `P1D` and the like. */
const secondsOf = (duration: Json | undefined): number | undefined => {
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(String(duration)) ?? []
  const total =
    Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return total > 0 ? total : undefined
}
