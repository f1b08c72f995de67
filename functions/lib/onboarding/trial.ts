import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '#lib/errors/errors.ts'
import type { HttpResponse } from '#lib/extractor/requests/answers/http-response.ts'
import { NetworkFailure, type Witness } from '#lib/extractor/requests/http/network-failure.ts'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { Stopped } from '#lib/extractor/run/stop-signal.ts'
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

interface TrialOptions extends Pick<ExtractOptions, 'maxRows'> {
  draft: Draft
  bounds?: TrialBounds | undefined
  /** An empty folder, removed at the end by whoever made it. */
  folder: string
  /** Taken for the answer to the first request, which is not sent then. */
  first?: HttpResponse
  /** So many pages are read. */
  pages: number
}

interface Trial {
  /** In the order of the pages, `first` among them. */
  answers: HttpResponse[]
  result: ExtractResult | undefined
  /** Why it failed. What a limit of ours ended has no error. */
  error: UserError | undefined
}

/** Runs a configuration as a run would, for the first pages, each asked for once. */
export const runTrial = async (options: TrialOptions): Promise<Trial> => {
  const { draft, folder, first, pages, maxRows, bounds = {} } = options
  const { imageParameters, signal, ...reach } = bounds
  const answers: HttpResponse[] = []
  const stop = new AbortController()
  const witness: Witness = async ({ network }) => {
    if (first !== undefined && answers.length === 0) return answers[answers.push(first) - 1] as HttpResponse // just pushed
    if (answers.length >= pages) {
      stop.abort()
      throw new Stopped('the requests of a trial')
    }
    const outcome = await network()
    if (outcome instanceof NetworkFailure) return outcome
    const isRedirect = outcome.status >= 300 && outcome.status < 400
    const body = outcome.file === undefined ? outcome.body : await readFile(outcome.file)
    if (!isRedirect) answers.push({ ...outcome, body, file: undefined })
    return outcome
  }
  const { api, config } = draft.parameters
  const { pagination } = api
  const place = join(folder, `trial-${Math.random().toString(36).slice(2)}`)
  try {
    const bounded = {
      ...api,
      retryConfig: { maxRetries: 0 },
      ...(isObject(pagination) && { pagination: { ...pagination, forceStop: { pages } } }),
    }
    const result = await extract({
      config: {
        parameters: { api: bounded, config },
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
      ...(maxRows !== undefined && { maxRows }),
    })
    return { answers, result, error: undefined }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { answers, result: undefined, error: stop.signal.aborted ? undefined : error }
  }
}
