import type { HttpResponse } from '../answers/http-response.ts'
import type { NetworkFailure } from './network-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** What became of one request: no retry, no redirect. */
export type Outcome = HttpResponse | NetworkFailure

interface Sending {
  request: OutgoingRequest
  network: () => Promise<Outcome>
  /** A text without the secrets that are known by now. */
  mask: (text: string) => string
  now: () => number
}

/** Stands between an extraction and the network: it keeps the exchanges of a run, or answers in place of the API. */
export interface Cassette {
  send(sending: Sending): Promise<Outcome>
  /** Waits before retries and for rate limits take no time. */
  isInstant: boolean
}

/** What tells one request from another, without secrets. */
export const requestKey = ({ request, mask }: Pick<Sending, 'request' | 'mask'>): RequestKey => ({
  method: request.method,
  url: mask(request.url.href),
  ...(request.body === undefined ? {} : { body: mask(request.body) }),
})

export interface RequestKey {
  method: string
  url: string
  body?: string | undefined
}
