import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '#lib/errors/errors.ts'
import type { HttpResponse } from '#lib/extractor/requests/answers/http-response.ts'
import { NetworkFailure } from '#lib/extractor/requests/http/network-failure.ts'
import type { Witness } from '#lib/extractor/requests/http/witness.ts'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { Stopped } from '#lib/extractor/run/stop-signal.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Draft } from './draft.ts'

/** Answers larger than this are no help in looking at them. */
const LARGEST_BYTES = 20_000_000

/** What bounds the requests of a trial. Default: nothing, as on the machine of whoever asks. */
export interface TrialBounds extends Pick<ExtractOptions, 'guard' | 'allowedPrivateHosts'> {
  /** What the operator has set for the component. */
  imageParameters?: Record<string, unknown>
  /** Ends the trial. */
  signal?: AbortSignal
}

interface TrialOptions extends Pick<ExtractOptions, 'log' | 'maxRows'> {
  bounds?: TrialBounds | undefined
  draft: Draft
  /** An empty folder, removed at the end by whoever made it. */
  folder: string
  /** Taken for the answer to the first request, which is not sent then. */
  first?: HttpResponse | undefined
  /** So many requests are sent, redirects not counted. */
  requests: number
}

interface Trial {
  /** In the order of the pages, `first` among them. */
  answers: HttpResponse[]
  result: ExtractResult | undefined
  /** Why it failed. What a limit of ours ended has no error. */
  error: UserError | undefined
}

/** Runs a configuration as a run would, for a few requests, each sent once. */
export const runTrial = async ({
  draft,
  folder,
  first,
  requests,
  log,
  maxRows,
  bounds: { imageParameters, signal, ...reach } = {},
}: TrialOptions): Promise<Trial> => {
  const answers: HttpResponse[] = []
  const stop = new AbortController()
  let sent = 0
  let isCut = false
  const witness: Witness = async ({ network }) => {
    if (first !== undefined && answers.length === 0) {
      answers.push(first)
      return first
    }
    if (sent >= requests) {
      isCut = true
      stop.abort()
      throw new Stopped('the requests of a trial')
    }
    const outcome = await network()
    if (outcome instanceof NetworkFailure) return outcome
    const isRedirect = outcome.status >= 300 && outcome.status < 400
    if (isRedirect) return outcome
    sent++
    const body = outcome.file === undefined ? outcome.body : await readFile(outcome.file)
    answers.push({ ...outcome, body, file: undefined })
    return outcome
  }
  const { api, config } = draft.parameters
  const place = join(folder, `trial-${Math.random().toString(36).slice(2)}`)
  try {
    const result = await extract({
      config: {
        parameters: { api: { ...api, retryConfig: { maxRetries: 0 } }, config },
        ...(imageParameters && { image_parameters: imageParameters }),
      },
      ...reach,
      outDir: join(place, 'tables'),
      spoolDir: join(place, 'spool'),
      signal: signal ? AbortSignal.any([stop.signal, signal]) : stop.signal,
      graceSeconds: 0,
      concurrency: 1,
      bodyLimitBytes: LARGEST_BYTES,
      witness,
      ...(log === undefined ? {} : { log }),
      ...(maxRows === undefined ? {} : { maxRows }),
    })
    return { answers, result, error: undefined }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { answers, result: undefined, error: isCut ? undefined : error }
  } finally {
    // Of a preview the tables are still to be read
    if (maxRows === undefined) await rm(place, { recursive: true, force: true })
  }
}

/** A draft that asks for one page of each job. */
export const onePage = ({ parameters }: Draft): Draft => {
  const { api } = parameters
  const { pagination } = api
  if (!isObject(pagination)) return { parameters }
  const stopped = (given: Json) => ({ ...Object(given), forceStop: { pages: 1 } })
  const { scrollers } = pagination
  const short = isObject(scrollers)
    ? {
        ...pagination,
        scrollers: Object.fromEntries(Object.entries(scrollers).map(([name, one]) => [name, stopped(one)])),
      }
    : stopped(pagination)
  return { parameters: { ...parameters, api: { ...api, pagination: short } } }
}
