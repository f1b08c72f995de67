import type { Log } from '../services/services.ts'

/** Reads are many: who waits for a job asks for it again and again. */
const READS = new Set(['GET', 'HEAD'])

interface AskedFor {
  /** `X-KBC-RunId`: the work that the request belongs to. */
  runId: string
  method: string
  /** As the router has it, without the values of its parameters. */
  route: string
}

/**
 * Answers a request of a run, with a log whose lines all name the run as `correlationId`. A request that changes something
 * gets a line of its own, so that the log of a run shows what it made here.
 */
export const answerForRun = async (
  log: Log,
  { runId, method, route }: AskedFor,
  answer: (log: Log) => Promise<Response>,
): Promise<Response> => {
  const facts = { correlationId: runId, method, route }
  const runLog: Log = {
    info: (message, extra) => log.info(message, { ...facts, ...extra }),
    error: (message, extra) => log.error(message, { ...facts, ...extra }),
  }
  const start = performance.now()
  const response = await answer(runLog)
  if (!READS.has(method)) {
    const seconds = Math.round(performance.now() - start) / 1000
    runLog.info('request answered', { status: response.status, seconds })
  }
  return response
}
