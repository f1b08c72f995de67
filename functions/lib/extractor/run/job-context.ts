import type { Json } from '../../json/json-value.ts'
import type { Config } from '../config/config-schema.ts'
import type { Silence } from '../config/job-schema.ts'
import type { Pagination } from '../config/pagination-schema.ts'
import type { ResponseSettings } from '../config/response-schema.ts'
import type { RequestOptions } from '../requests/http/page-request.ts'
import type { Log } from '../requests/masking/masker.ts'
import type { EvaluateValues } from '../values/functions/evaluate.ts'
import type { HighWaterMarks } from './high-water-marks.ts'
import type { RunStatistics } from './run-statistics.ts'

/** What the jobs of one iteration share. */
export interface JobContext {
  config: Config
  /** What `attr` sees. */
  attributes: Record<string, Json>
  time: { previousStart: number; currentStart: number }
  pagination: Pagination | undefined
  /** What answers are written in, for jobs that do not say it. */
  response: ResponseSettings | undefined
  /** Folder of the items of answers that are not plain JSON. */
  itemsFolder: string
  defaults: RequestOptions
  /** Expressions in defaults, headers and endpoints, and parent values everywhere (`api.http.evaluate`). */
  evaluateEverywhere: boolean
  evaluate: EvaluateValues
  marks: HighWaterMarks
  isCompat: boolean
  silence: Silence | undefined
  statistics: RunStatistics
  log: Log
  /** Seconds since 1970. */
  now: () => number
  /** At most this many rows of each job; for previews. */
  maxRows: number | undefined
  /** Whether a field of userData is shown as `***`: in previews, what is a secret or made of one. */
  hidesColumn: (name: string, value: unknown) => boolean
}
