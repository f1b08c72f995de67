import type { ReadSecret } from '../../lib/cloud/secrets.ts'
import { readStorageToken, TOKEN_KEPT_MS } from '../../lib/storage-client/storage-token.ts'

/** The master tokens that count, the present one first. */
export interface MasterTokens {
  /** As they were read five minutes ago at most. */
  known(): Promise<readonly [string, ...string[]]>
  /** After a token was refused that may be a new one. */
  readAgain(): Promise<readonly [string, ...string[]]>
}

interface MasterTokensOptions {
  secretArn: string
  readSecret: ReadSecret
  /** So long the token before is accepted beside a new one: its users notice that it was replaced one by one. */
  overlapMs: number
  now: () => Date
}

/** Whoever guesses tokens cannot make each guess a call of Secrets Manager. */
const LEAST_PAUSE_MS = 2_000

/**
 * The master token in the stack's secret, and for a while the one before it.
 *
 * A failed read leaves what is known: the service goes on while Secrets Manager is away.
 */
export const createMasterTokens = ({
  secretArn,
  readSecret,
  overlapMs,
  now,
}: MasterTokensOptions): MasterTokens => {
  let kept: { tokens: readonly [string, ...string[]]; readAt: number } | undefined

  const read = async (): Promise<readonly [string, ...string[]]> => {
    const readAt = now().getTime()
    const current = await readSecret(secretArn, 'AWSCURRENT')
    const token = readStorageToken(current?.text ?? '')
    const overlaps = current !== undefined && readAt - current.createdAt < overlapMs
    const previous = overlaps ? await readSecret(secretArn, 'AWSPREVIOUS') : undefined
    const tokens = [token, ...(previous ? [readStorageToken(previous.text)] : [])] as const
    kept = { tokens, readAt }
    return tokens
  }

  const readAfter = async (milliseconds: number): Promise<readonly [string, ...string[]]> => {
    const before = kept
    if (!before) return read()
    if (now().getTime() - before.readAt < milliseconds) return before.tokens
    return read().catch(() => before.tokens)
  }

  return { known: () => readAfter(TOKEN_KEPT_MS), readAgain: () => readAfter(LEAST_PAUSE_MS) }
}
