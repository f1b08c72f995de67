import type { HttpResponse } from '../answers/http-response.ts'
import type { NetworkFailure } from './network-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** What became of one request: no retry, no redirect. */
export type Outcome = HttpResponse | NetworkFailure

/** Stands between an extraction and the network: it sees the exchanges of a preview, and ends them at its limits. */
export type Witness = (sending: {
  request: OutgoingRequest
  network: () => Promise<Outcome>
  /** A text without the secrets that are known by now. */
  mask: (text: string) => string
}) => Promise<Outcome>
