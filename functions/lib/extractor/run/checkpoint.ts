import * as z from 'zod'
import { shortDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { SentLately, Traffic } from '../requests/http/admission.ts'
import type { Login } from '../requests/http/authenticator.ts'
import type { TableSinkCheckpoint } from '../tables/sink-types.ts'
import type { ExtractCheckpoint } from './extract-options.ts'
import { ofAnother } from './saved-sequences.ts'

/** What a leg hands to the next. The names are those of stored checkpoints. */
export interface Leg {
  /** Iteration under way. */
  iteration: number
  /** Its sequences of pages still to do; absent when it has not begun. */
  lanes: unknown
  /** Summaries of all iterations begun, in order. */
  statistics: unknown[]
  marks: Record<string, unknown>
  retries: number
  traffic: Traffic
  /** Requests that were sent lately, by origin. */
  budgets?: Readonly<Record<string, SentLately>> | undefined
  logins: number
  /** By iteration and authentication: a login is made once in a run, however many legs it has. */
  sessions: Record<string, Login>
  currentStart: number
  /** By position of the bucket. */
  sinks: Record<string, TableSinkCheckpoint>
}

const Stored = z.object({
  version: z.literal(1),
  configuration: z.string(),
  leg: z.string(),
})

/** A checkpoint as plain JSON; the leg is a text, so that its numbers keep their digits. */
export const formatCheckpoint = (leg: Leg, config: unknown): ExtractCheckpoint => ({
  version: 1,
  configuration: shortDigest(JSON.stringify(config)),
  leg: JSON.stringify(leg),
})

/** @throws UserError `extractor.checkpoint` when it was made from another configuration or by another version */
export const parseCheckpoint = (checkpoint: unknown, config: unknown): Leg => {
  const stored = Stored.safeParse(checkpoint)
  if (!stored.success)
    throw new UserError('extractor.checkpoint', 'The checkpoint cannot be read: start anew without it.')
  if (stored.data.configuration !== shortDigest(JSON.stringify(config))) throw ofAnother()
  return parseJson(stored.data.leg) as unknown as Leg // the text that formatCheckpoint wrote
}
