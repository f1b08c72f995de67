import * as z from 'zod'
import { shortDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { SentLately, Traffic } from '../requests/http/admission.ts'
import type { Login } from '../requests/http/authenticator.ts'
import type { TableSinkCheckpoint } from '../tables/sink-types.ts'
import type { ExtractCheckpoint } from './extract-options.ts'

/** What a leg hands to the next: all that is needed to go on as if nothing had happened. */
export interface Leg {
  /** Iteration under way: iterations run one after the other. */
  iteration: number
  /** Its pages still to do; absent when it has not begun. */
  sequences: unknown
  /** Of each iteration that has begun: what its jobs did. */
  statistics: unknown[]
  /** The largest values that incremental jobs saw. */
  marks: Record<string, Json>
  retries: number
  traffic: Traffic
  /** Requests that were sent lately, by origin: a budget holds for any span. */
  budgets?: Readonly<Record<string, SentLately>> | undefined
  logins: number
  /** By iteration and authentication: a login is made once in a run, however many legs it has. */
  sessions: Record<string, Login>
  /** `{"time": "currentStart"}` is when the run began, not the leg. */
  currentStart: number
  /** Structure and files of tables, by position of the bucket. */
  sinks: Record<string, TableSinkCheckpoint>
}

const Stored = z.object({ version: z.literal(2), configuration: z.string(), leg: z.string() })

/** A checkpoint as plain JSON; the leg is a text, so that its numbers keep their digits. */
export const formatCheckpoint = (leg: Leg, config: unknown): ExtractCheckpoint => ({
  version: 2,
  configuration: shortDigest(JSON.stringify(config)),
  leg: JSON.stringify(leg),
})

/** @throws UserError `extractor.checkpoint` when it was made from another configuration or by another version */
export const parseCheckpoint = (checkpoint: unknown, config: unknown): Leg => {
  const stored = Stored.safeParse(checkpoint)
  if (!stored.success)
    throw new UserError('extractor.checkpoint', 'The checkpoint cannot be read: start anew without it.')
  if (stored.data.configuration !== shortDigest(JSON.stringify(config)))
    throw new UserError(
      'extractor.checkpoint',
      'The checkpoint belongs to another configuration: start anew without it.',
    )
  return parseJson(stored.data.leg) as unknown as Leg // the text that formatCheckpoint wrote
}
