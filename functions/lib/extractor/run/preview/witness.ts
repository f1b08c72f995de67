import { setImmediate as afterThisTick } from 'node:timers/promises'
import type { Cassette, Outcome } from '../../requests/http/cassette.ts'
import { NetworkFailure } from '../../requests/http/network-failure.ts'
import type { OutgoingRequest } from '../../requests/http/outgoing-request.ts'
import { maskBody } from '../cassette/mask-body.ts'
import { maskHeaders } from '../cassette/mask-headers.ts'
import { Stopped } from '../stop-signal.ts'
import type { PreviewLimits } from './preview-limits.ts'
import type { Exchange } from './preview-schemas.ts'

interface WitnessOptions {
  limits: PreviewLimits
  /** Called once, when a limit is reached. */
  onLimit: (reached: 'requests' | 'bytes') => void
}

interface Witness extends Cassette {
  /** All exchanges so far, in order. Texts that turned out to be secrets later are masked too. */
  exchanges(): Promise<Exchange[]>
  mask(text: string): string
}

/** Lets requests through to the API up to a limit, and remembers what was said, without secrets. */
export const createWitness = ({ limits, onLimit }: WitnessOptions): Witness => {
  const begun = performance.now()
  const noted: Promise<Exchange>[] = []
  let bytes = 0
  let shownBytes = 0
  let isOver = false
  let latestMask = (text: string): string => text

  const reach = (limit: 'requests' | 'bytes'): void => {
    if (isOver) return
    isOver = true
    onLimit(limit)
  }

  /** The beginning of a body. All of them together have room in one reply. */
  const shown = (body: Buffer, mask: (text: string) => string) => {
    const masked = maskBody(body, mask).body
    const room = Math.min(limits.shownBodyBytes, limits.shownBytes - shownBytes)
    const start = masked.subarray(0, Math.max(0, room))
    shownBytes += start.length
    return {
      body: start.toString('utf8'),
      bodyBytes: body.length,
      isBodyCut: start.length < masked.length,
    }
  }

  const note = async (
    { number, at, request }: { number: number; at: number; request: OutgoingRequest },
    outcome: Outcome,
    mask: (text: string) => string,
  ): Promise<Exchange> => {
    const seconds = secondsSince(begun) - at
    // By then a login has been read, so its credentials are masked in its own response as well.
    await afterThisTick()
    const sent = {
      method: request.method,
      url: mask(request.url.href),
      headers: maskHeaders(request.headers, mask),
      ...shown(Buffer.from(request.body ?? ''), mask),
    }
    const exchange = { number, at, seconds: rounded(seconds), request: sent }
    if (outcome instanceof NetworkFailure)
      return { ...exchange, response: null, failure: mask(outcome.message) }
    const { status, headers, body } = outcome
    const response = { status, headers: maskHeaders(headers, mask), ...shown(body, mask) }
    return { ...exchange, response, failure: null }
  }

  return {
    isInstant: false,
    send: async ({ request, network, mask }) => {
      if (isOver || noted.length >= limits.requests) {
        reach('requests')
        throw new Stopped('the limit of a preview')
      }
      latestMask = mask
      const opened = Promise.withResolvers<Exchange>()
      const sending = { number: noted.push(opened.promise), at: rounded(secondsSince(begun)), request }
      let outcome: Outcome
      try {
        outcome = await network()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        opened.resolve(note(sending, new NetworkFailure(0, reason), mask))
        throw error
      }
      opened.resolve(note(sending, outcome, mask))
      if (!(outcome instanceof NetworkFailure)) bytes += outcome.body.length
      if (bytes > limits.bytes) reach('bytes')
      return outcome
    },
    exchanges: async () => maskTexts(await Promise.all(noted), latestMask) as Exchange[], // the same shape
    mask: text => latestMask(text),
  }
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

const maskTexts = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map(item => maskTexts(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskTexts(item, mask)]))
}
