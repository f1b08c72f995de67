import type { LookupAddress } from 'node:dns'
import type { Dispatcher } from 'undici'
import * as z from 'zod'
import { shortDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Traffic } from '../requests/http/admission.ts'
import type { Login } from '../requests/http/authenticator.ts'
import type { Witness } from '../requests/http/network-failure.ts'
import type { SentLately } from '../requests/http/rate-limit.ts'
import type { LogRecord } from '../requests/masking/masker.ts'
import type { TableSinkCheckpoint } from '../tables/table-sink.ts'
import type { WrittenTable } from '../tables/write-tables.ts'
import type { JobSummary } from './run-statistics.ts'

export interface ExtractOptions {
  /** The parsed `config.json`. */
  config: unknown
  /** The parsed `in/state.json`; absent on the first run. */
  state?: unknown
  /** Where tables and manifests go: `out/tables`. */
  outDir: string
  /** Where rows wait until the headers are known. A leg that resumes from a checkpoint needs the folder unchanged. */
  spoolDir: string
  /**
   * Behave like Generic Extractor where we differ (docs/reference/extractor.md#compat). Default: `"compat"` under
   * `config`.
   */
  compat?: boolean
  /** Seconds since 1970. Default: the system's clock. */
  now?: () => number
  /** Stops at the next page boundary. */
  signal?: AbortSignal
  /** Stops at the next page boundary after this moment, but not before the first one. Milliseconds since 1970 by the system's clock. */
  deadline?: number
  /** How long requests under way may take after a stop was asked for; later ones are sent again by the next leg. Default 20. */
  graceSeconds?: number
  /** The checkpoint that an earlier call returned, to resume from. */
  checkpoint?: unknown
  /** Lines for the user, secrets masked. Default: none. */
  log?: (record: LogRecord) => void
  /** Refuse addresses that are not on the public internet. Default false. */
  guard?: boolean
  /** Private hosts that the guard allows, spelled as in addresses. Default: none. */
  allowedPrivateHosts?: readonly string[]
  /** Requests under way at once. Default `api.http.maxConcurrency`, else 8. */
  concurrency?: number
  /** At most this many rows of each job, for previews. */
  maxRows?: number
  /**
   * Stores the state as it came with a refresh token that a login has just given, at once: the server may have ended the
   * token before it, so it must not wait for the end of a run that may fail.
   */
  keepState?: (state: Record<string, Json>) => Promise<void>
  /** Bytes that a response may have, when that is less than the configuration allows. */
  bodyLimitBytes?: number
  /** Called after each page. */
  onProgress?: (progress: Progress) => void
  /** In place of connections of our own; the caller closes it. */
  dispatcher?: Dispatcher
  /** Sees the exchanges with the API, and may end them. */
  witness?: Witness
  /** In place of the system's resolver, when `guard` is on. */
  resolve?: (hostname: string) => Promise<LookupAddress[]>
}

export interface Progress {
  pages: number
  rows: number
  retries: number
  /** Of all legs. */
  requests: number
  /** How long requests waited for the API or a budget, in all legs. */
  waitedSeconds: number
  /** Of the page just written, secrets masked. */
  url: string
}

export interface ExtractSummary {
  jobs: JobSummary[]
  /** Requests that were sent again. */
  retries: number
  traffic: Traffic
  /** Logins that asked the API. */
  logins: number
  rows: number
  tables: Pick<WrittenTable, 'name' | 'rows'>[]
}

export type ExtractResult =
  | {
      finished: true
      state: Record<string, Json>
      tables: WrittenTable[]
      /** What the author should know of how the tables are loaded; they are in the log too. */
      warnings: string[]
      summary: ExtractSummary
    }
  | {
      finished: false
      /** Plain JSON with secrets and with what logins gave: keep it sealed. With the contents of `spoolDir` it is all that the next leg needs. */
      checkpoint: ExtractCheckpoint
      /** All pages are read: the next leg puts the tables together, and the same each time. */
      isRead: boolean
      /** The API takes no requests before so many seconds have passed; 0 when it does. */
      resumeInSeconds: number
      summary: ExtractSummary
    }

/** What a leg hands to the next: all that is needed to go on as if nothing had happened. */
export interface Leg {
  /** Iteration under way: iterations run one after the other. */
  iteration: number
  /** Its pages still to do; absent when it has not begun. */
  sequences: unknown
  /** Of each iteration that has begun: what its jobs did. */
  statistics: unknown[]
  /** The largest values that incremental jobs saw. */
  marks: Record<string, Json>
  retries: number
  traffic: Traffic
  /** Requests that were sent lately, by origin: a budget holds for any span. */
  budgets?: Readonly<Record<string, SentLately>> | undefined
  logins: number
  /** By iteration and authentication: a login is made once in a run, however many legs it has. */
  sessions: Record<string, Login>
  /** `{"time": "currentStart"}` is when the run began, not the leg. */
  currentStart: number
  /** Structure and files of tables, by position of the bucket. */
  sinks: Record<string, TableSinkCheckpoint>
}

const Stored = z.object({ version: z.literal(2), configuration: z.string(), leg: z.string() })

export type ExtractCheckpoint = z.infer<typeof Stored>

/** A checkpoint as plain JSON; the leg is a text, so that its numbers keep their digits. */
export const formatCheckpoint = (leg: Leg, config: unknown): ExtractCheckpoint => ({
  version: 2,
  configuration: shortDigest(JSON.stringify(config)),
  leg: JSON.stringify(leg),
})

/** @throws UserError `extractor.checkpoint` when it was made from another configuration or by another version */
export const parseCheckpoint = (checkpoint: unknown, config: unknown): Leg => {
  const stored = Stored.safeParse(checkpoint)
  if (!stored.success)
    throw new UserError('extractor.checkpoint', 'The checkpoint cannot be read: start anew without it.')
  if (stored.data.configuration !== shortDigest(JSON.stringify(config)))
    throw new UserError(
      'extractor.checkpoint',
      'The checkpoint belongs to another configuration: start anew without it.',
    )
  return parseJson(stored.data.leg) as unknown as Leg // the text that formatCheckpoint wrote
}
