import { readFile } from 'node:fs/promises'
import { UserError } from '#lib/errors/errors.ts'
import { type Cassette, type Outcome, type RequestKey, requestKey } from '../../requests/http/cassette.ts'
import { NetworkFailure } from '../../requests/http/network-failure.ts'
import type { OutgoingRequest } from '../../requests/http/outgoing-request.ts'
import { bodyFile, type RecordedExchange, readExchanges } from './recording.ts'

interface Player extends Cassette {
  /** Seconds since 1970: when the request was recorded that was answered last. */
  now(): number
  /** What differed from the run that was recorded, though it could be answered. */
  differences(): string[]
}

/**
 * Answers from a recording, each exchange once, in the order in which equal requests were sent. A request that differs only in the values
 * of its parameters gets the next answer of its address, which counts as a difference.
 *
 * @param startedAt the clock until the first request, in seconds since 1970
 * @throws UserError `extractor.recording.invalid`
 */
export const createPlayer = async (folder: string, startedAt: number): Promise<Player> => {
  const left = new Set(await readExchanges(folder))
  const differences: string[] = []
  let clock = startedAt

  const take = (key: RequestKey): RecordedExchange => {
    const wanted = exact(key)
    const similar = loose(key)
    const requests = [...left]
    const same =
      requests.find(({ request }) => exact(request) === wanted) ??
      requests.find(({ request }) => isAsRecorded(exact(request), wanted))
    const found = same ?? requests.find(({ request }) => loose(request) === similar)
    if (found === undefined) throw unknownRequest(key)
    left.delete(found)
    if (same === undefined)
      differences.push(`Sent ${readable(key)}, recorded was ${readable(found.request)}.`)
    return found
  }

  return {
    isInstant: true,
    now: () => clock,
    send: async ({ request, mask }) => {
      const exchange = take(requestKey({ request, mask }))
      clock = Math.max(clock, exchange.at)
      return outcomeOf(exchange, request, folder)
    },
    differences: () => [
      ...differences,
      ...[...left].map(({ request }) => `Recorded, but not sent: ${readable(request)}.`),
    ],
  }
}

const outcomeOf = async (
  { number, outcome }: RecordedExchange,
  request: OutgoingRequest,
  folder: string,
): Promise<Outcome> =>
  'curlCode' in outcome
    ? new NetworkFailure(outcome.curlCode, outcome.message)
    : {
        status: outcome.status,
        headers: outcome.headers,
        body: await readFile(bodyFile(folder, number)),
        url: request.url.href,
      }

const exact = ({ method, url, body }: RequestKey): string => JSON.stringify([method, url, body])

/** Where a recorded text has `***` anything may stand: a word that equals a short secret is masked in requests alone. */
const isAsRecorded = (recorded: string, sent: string): boolean => {
  const [start = '', ...rest] = recorded.split('***')
  const end = rest.pop()
  if (end === undefined) return recorded === sent
  let at = start.length
  for (const part of rest) {
    const found = sent.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return sent.startsWith(start) && sent.endsWith(end) && at + end.length <= sent.length
}

/** Without the values of parameters: times and signatures differ from run to run. */
const loose = ({ method, url, body }: RequestKey): string => {
  const [address = '', query = ''] = url.split(/\?(.*)/s)
  return JSON.stringify([method, address, names(query), body === undefined])
}

const names = (query: string): string[] => [...new Set(new URLSearchParams(query).keys())].sort()

const readable = ({ method, url, body }: RequestKey): string =>
  `${method} ${url}${body === undefined ? '' : ` ${body.slice(0, 200)}`}`

const unknownRequest = (key: RequestKey): UserError =>
  new UserError('extractor.recording.unknownRequest', `The recording has no answer left to ${readable(key)}.`)
