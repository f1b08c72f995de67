import type { HttpResponse } from '../answers/http-response.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** A request that got no whole response, with curl's number for it: configurations list those in `retryConfig.curl`. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure'
  readonly curlCode: number

  constructor(curlCode: number, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.curlCode = curlCode
  }
}

/** An error that came after the headers did, so that the reply was not empty. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

const byCode: Readonly<Record<string, number>> = {
  ENOTFOUND: 6,
  EAI_AGAIN: 6,
  EAI_FAIL: 6,
  EAI_NODATA: 6,
  ECONNREFUSED: 7,
  EHOSTUNREACH: 7,
  ENETUNREACH: 7,
  EADDRNOTAVAIL: 7,
  EHOSTDOWN: 7,
  UND_ERR_CONNECT_TIMEOUT: 28,
  UND_ERR_HEADERS_TIMEOUT: 28,
  UND_ERR_BODY_TIMEOUT: 28,
  ETIMEDOUT: 28,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 18,
  UND_ERR_HEADERS_OVERFLOW: 100,
  UND_ERR_SOCKET: 52,
  UND_ERR_RESPONSE: 56,
  ECONNRESET: 56,
  EPIPE: 56,
  ECONNABORTED: 56,
  UND_ERR_CLOSED: 56,
  UND_ERR_DESTROYED: 56,
}

const certificateProblem = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/

/** What a thrown network error is in curl's terms; `undefined` when it is not a network error. */
export const toNetworkFailure = (error: unknown): NetworkFailure | undefined => {
  if (error instanceof NetworkFailure) return error
  const hasBegun = error instanceof BodyError
  for (const cause of causes(error)) {
    const { code, name, message } = cause
    if (name === 'TimeoutError') return new NetworkFailure(28, 'Operation timed out', { cause: error })
    if (name === 'HTTPParserError')
      // The end of a body that was cut, as against one that is none
      return new NetworkFailure(
        /Invalid EOF state/.test(message) ? 56 : 1,
        `Malformed response: ${message}`,
        {
          cause: error,
        },
      )
    if (code === undefined) continue
    if (certificateProblem.test(code))
      return new NetworkFailure(60, `SSL certificate problem: ${message}`, { cause: error })
    if (/^(ERR_SSL|ERR_TLS|EPROTO)/.test(code))
      return new NetworkFailure(35, `SSL connect error: ${message}`, { cause: error })
    if (/^HPE_|ERR_HTTP2/.test(code))
      return new NetworkFailure(56, `Malformed response: ${message}`, { cause: error })
    const known = byCode[code]
    // A socket that ends while the body is read was not "empty": curl calls that a receive failure
    if (known !== undefined) {
      const number = known === 52 && hasBegun ? 56 : known
      return new NetworkFailure(number, describe(number, message), { cause: error })
    }
  }
  return undefined
}

interface Cause {
  code: string | undefined
  name: string
  message: string
}

function* causes(error: unknown): Generator<Cause> {
  let current = error
  for (let depth = 0; current instanceof Error && depth < 5; depth++) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : undefined
    yield { code, name: current.name, message: current.message }
    if (current instanceof AggregateError) for (const inner of current.errors) yield* causes(inner)
    current = current.cause
  }
}

const describe = (code: number, message: string): string => {
  const what: Record<number, string> = {
    6: 'Could not resolve host',
    7: 'Failed to connect',
    28: 'Operation timed out',
    52: 'Empty reply from server',
    56: 'The connection ended before the answer did',
    100: 'The headers of the response are too large',
  }
  const known = what[code]
  return known === undefined ? message : `${known}${message === '' ? '' : `: ${message}`}`
}

/** What became of one request: no retry, no redirect. */
export type Outcome = HttpResponse | NetworkFailure

/** Stands between an extraction and the network: it sees the exchanges of a preview, and ends them at its limits. */
export type Witness = (sending: {
  request: OutgoingRequest
  network: () => Promise<Outcome>
  /** A text without the secrets that are known by now. */
  mask: (text: string) => string
}) => Promise<Outcome>
