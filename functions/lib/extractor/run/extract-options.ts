import type { LookupAddress } from 'node:dns'
import type { Dispatcher } from 'undici'
import type { Json } from '../../json/json-value.ts'
import type { Traffic } from '../requests/http/admission.ts'
import type { Witness } from '../requests/http/network-failure.ts'
import type { LogRecord } from '../requests/masking/masker.ts'
import type { WrittenTable } from '../tables/sink-types.ts'
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

export interface ExtractCheckpoint {
  version: 2
  [key: string]: unknown
}
