import { hkdfSync } from 'node:crypto'
import { z } from 'zod'
import type { BucketDocuments } from '../lib/aws/bucket-documents.ts'
import { UserError } from '../lib/errors/errors.ts'
import { openText, sealText } from '../lib/storage/secrets/sealed-text.ts'
import { findRunAuthor, type RunAuthor } from '../lib/storage/tokens/run-author.ts'
import type { TokenClient, TokenSettings } from '../lib/storage-client/token-client.ts'
import type { Token } from '../lib/storage-client/token-reads.ts'
import { LONGEST_RUN_SECONDS } from './names.ts'
import { runPrefix } from './run-store.ts'

const KEY_BYTES = 32

/**
 * Seals what a run keeps for itself between its steps: its token, and its checkpoints, which hold what an API says of its next pages. The key is derived from the stack's own token, which only
 * functions may read: who reads the work bucket learns none of it. `previousToken`: the stack's token before this
 * one, under which a run may have begun.
 */
export const createTokenSeal = (
  stackToken: string,
  previousToken: () => Promise<string | undefined> = async () => undefined,
) => {
  const sealKeyOf = (runId: string, token = stackToken) =>
    Buffer.from(hkdfSync('sha256', token, runId, 'token of a run', KEY_BYTES))

  return {
    seal: (value: string, runId: string): string => sealText(sealKeyOf(runId), value),

    /** Throws when it was sealed for another run, or under an older token of the stack. */
    async open(sealed: string, runId: string): Promise<string> {
      try {
        return openText(sealKeyOf(runId), sealed)
      } catch (error) {
        const previous = await previousToken()
        if (previous === undefined) throw error
        return openText(sealKeyOf(runId, previous), sealed)
      }
    },
  }
}

export type TokenSeal = ReturnType<typeof createTokenSeal>

const tokenDocument = z.object({
  tokenId: z.string(),
  sealedValue: z.string(),
  author: z.object({ id: z.string(), description: z.string() }),
})

interface RunToken {
  value: string
  author: RunAuthor
}

interface NewRun {
  runId: string
  startedAt: Date
  authorId: string
  componentId: string
  configId: string
}

/** The token that a run works with: of its author's rights when it began, and of the run alone. */
export interface RunTokens {
  /** Makes it, or finds the one that an earlier attempt made. Error: `extractor.run.authorRefused`. */
  make(run: NewRun): Promise<RunToken>
  /** Error: `extractor.run.noToken` for a run that has none. */
  open(runId: string): Promise<RunToken>
  /** Ends its rights. Harmless when it is gone, or never was. */
  revoke(runId: string): Promise<void>
}

export interface RunTokensOptions {
  work: BucketDocuments
  tokens: TokenClient
  seal: TokenSeal
  now: () => Date
}

const keyOf = (runId: string) => `${runPrefix(runId)}token.json`

/**
 * A token is kept sealed beside the run's document, and nowhere else: not in the machine's input or output, nor in a
 * log. An attempt that dies between making and keeping it leaves a token whose value nobody knows, until it expires.
 */
export const createRunTokens = ({ work, tokens, seal, now }: RunTokensOptions): RunTokens => {
  const read = (runId: string) => work.readAs(keyOf(runId), tokenDocument)

  const opened = async (
    { sealedValue, author }: z.infer<typeof tokenDocument>,
    runId: string,
  ): Promise<RunToken> => ({ value: await seal.open(sealedValue, runId), author })

  const find = async (runId: string): Promise<RunToken | undefined> => {
    const stored = await read(runId)
    return stored && opened(stored, runId)
  }

  const make = async (run: NewRun): Promise<RunToken> => {
    const { runId, authorId, componentId } = run
    const authorToken = await findRunAuthor(authorId, componentId, tokens)
    const author = { id: authorId, description: authorToken.description }
    const permissions = await permissionsOf(authorToken, tokens)
    const made = await tokens.createToken(settingsOf(run, authorToken, permissions, now()))
    const document = { tokenId: made.id, sealedValue: seal.seal(made.token, runId), author }
    // Another attempt may have been first, or our own write had arrived and its reply had not.
    const kept = await work.decide(keyOf(runId), document, tokenDocument)
    if (kept.tokenId !== made.id) await tokens.deleteToken(made.id)
    return opened(kept, runId)
  }

  const open = async (runId: string): Promise<RunToken> => {
    const found = await find(runId)
    if (found) return found
    throw new UserError('extractor.run.noToken', 'The run has no token of its own. Start it again.')
  }

  return {
    make: async run => (await find(run.runId)) ?? make(run),
    open,
    revoke: async runId => {
      const stored = await read(runId)
      if (stored) await tokens.deleteToken(stored.tokenId)
    },
  }
}

/**
 * The author's own, without those on buckets that are gone: no service grants a right on nothing. None grants `manage`
 * either, which old tokens have: a run writes to buckets and deletes none.
 */
const permissionsOf = async (
  { canManageBuckets, bucketPermissions }: Token,
  tokens: Pick<TokenClient, 'bucketIds'>,
): Promise<Record<string, string>> => {
  if (canManageBuckets || Object.keys(bucketPermissions).length === 0) return {}
  const known = new Set(await tokens.bucketIds())
  return Object.fromEntries(
    Object.entries(bucketPermissions)
      .filter(([id]) => known.has(id))
      .map(([id, permission]) => [id, permission === 'manage' ? 'write' : permission]),
  )
}

/** Never the right to manage tokens or to purge, whatever the author may do: a run needs neither. */
const settingsOf = (
  { runId, startedAt, componentId, configId }: NewRun,
  { description, canManageBuckets, canReadAllFileUploads, expires }: Token,
  bucketPermissions: Record<string, string>,
  now: Date,
): TokenSettings => {
  const endOfRun = startedAt.getTime() + LONGEST_RUN_SECONDS * 1000
  const end = expires ? Math.min(endOfRun, Date.parse(expires)) : endOfRun
  return {
    description: `Run ${runId} of ${componentId}/${configId} for ${description}`.slice(0, MAX_DESCRIPTION),
    canManageBuckets,
    canReadAllFileUploads,
    bucketPermissions,
    componentAccess: [componentId],
    expiresIn: Math.max(1, Math.ceil((end - now.getTime()) / 1000)),
  }
}

const MAX_DESCRIPTION = 1_000
