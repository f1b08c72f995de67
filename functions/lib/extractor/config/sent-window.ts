import { isObject } from '../../json/json-value.ts'
import { type WindowSettings, windowsOf } from './incremental-schema.ts'

type MaybeWindowed = Parameters<typeof windowsOf>[0] & {
  endpoint: string
  params?: unknown
  headers?: unknown
  graphql?: unknown
  body?: unknown
}

interface SentWindow {
  start: boolean
  end: boolean
}

/** Which ends of a window the request of a job carries. What the API is not asked for is left out of its answer here. */
export const sentWindow = (
  job: MaybeWindowed,
  settings: Pick<WindowSettings, 'param' | 'until'>,
): SentWindow => {
  const request = [job.params, job.headers, job.graphql, job.body]
  const reads = (end: 'start' | 'end'): boolean =>
    job.endpoint.includes(`{window.${end}}`) || refersTo(end, request)
  return {
    start: settings.param !== undefined || reads('start'),
    end: settings.until !== undefined || reads('end'),
  }
}

/** What a job with windows cannot have, or needs. */
export const windowsProblem = (job: MaybeWindowed): string | undefined => {
  const settings = windowsOf(job)
  if (settings === undefined) return undefined
  const sent = sentWindow(job, settings)
  const { step, start, granularity, overlap, param } = settings
  if (step !== undefined && start === undefined)
    return '"incremental" with "step" needs "start": where the first window begins'
  if (step !== undefined && !(sent.start && sent.end))
    return '"incremental" with "step" needs "param" and "until": without them each window would give all rows'
  if (granularity !== undefined && !sent.end)
    return '"granularity" belongs to "until": without it no end of a window is sent'
  if (overlap !== undefined && !sent.start)
    return '"overlap" belongs to "param": without it no start of a window is sent'
  if (sent.start && param === undefined && start === undefined)
    return '"incremental" needs "start" where {"window": "start"} is sent: the first run has no other'
  return undefined
}

/** Whether an expression refers to an end of the window, at any depth. */
const refersTo = (end: 'start' | 'end', value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(inner => refersTo(end, inner))
  if (!isObject(value)) return false
  if (value['window'] === end && Object.keys(value).length === 1) return true
  return Object.values(value).some(inner => refersTo(end, inner))
}
