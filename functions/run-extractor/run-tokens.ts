import { hkdfSync } from 'node:crypto'
import { z } from 'zod'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { UserError } from '../lib/errors/errors.ts'
import { openText, sealText } from '../lib/storage/secrets/sealed-secret.ts'
import { mayDoAsMuch, type Rights } from '../lib/storage/tokens/rights.ts'
import { findRunRights, type RunAuthor, type RunRights, refused } from '../lib/storage/tokens/run-author.ts'
import { bucketPermission } from '../lib/storage/tokens/token-store.ts'
import type { TokenClient, TokenSettings } from '../lib/storage-client/token-client.ts'
import { tokenOfRun } from '../lib/wire/run-body.ts'
import { LONGEST_RUN_SECONDS } from './names.ts'
import { runPrefix } from './run.ts'

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
  authors: z.array(z.object({ id: z.string(), description: z.string() })),
  /** What the token was given when the run began. */
  given: z.object({
    canManageBuckets: z.boolean(),
    canReadAllFileUploads: z.boolean(),
    bucketPermissions: z.record(z.string(), bucketPermission),
  }),
})

type TokenDocument = z.infer<typeof tokenDocument>

interface RunToken {
  value: string
  authors: RunAuthor[]
}

interface NewRun {
  runId: string
  startedAt: Date
  /** All that stored a part of what runs, or set it off. */
  authorIds: readonly string[]
  componentId: string
  configId: string
}

export type RunTokens = ReturnType<typeof createRunTokens>

export interface RunTokensOptions {
  work: BucketDocuments
  tokens: TokenClient
  seal: TokenSeal
  now: () => Date
}

const keyOf = (runId: string) => `${runPrefix(runId)}token.json`

/**
 * The token that a run works with: of what all its authors may do, and of the run alone.
 *
 * A token is kept sealed beside the run's document, and nowhere else: not in the machine's input or output, nor in a
 * log. An attempt that dies between making and keeping it leaves a token whose value nobody knows, until it expires.
 */
export const createRunTokens = ({ work, tokens, seal, now }: RunTokensOptions) => {
  const read = (runId: string) => work.readAs(keyOf(runId), tokenDocument)

  const opened = async (document: TokenDocument, runId: string): Promise<RunToken> => ({
    value: await seal.open(document.sealedValue, runId),
    authors: document.authors,
  })

  const make = async (run: NewRun): Promise<RunToken> => {
    const { runId, authorIds, componentId } = run
    const least = await findRunRights(authorIds, componentId, tokens)
    const settings = settingsOf(run, least, await permissionsOf(least.rights, tokens), now())
    const made = await tokens.createToken(settings)
    const { canManageBuckets, canReadAllFileUploads, bucketPermissions } = settings
    const document = {
      tokenId: made.id,
      sealedValue: seal.seal(made.token, runId),
      authors: least.authors,
      given: { canManageBuckets, canReadAllFileUploads, bucketPermissions },
    }
    // Another attempt may have been first, or our own write had arrived and its reply had not.
    const kept = await work.decide(keyOf(runId), document, tokenDocument)
    if (kept.tokenId !== made.id) await tokens.deleteToken(made.id)
    return opened(kept, runId)
  }

  return {
    /** Makes it, or finds the one that an earlier attempt made. Error: `extractor.run.authorRefused`. */
    make: async (run: NewRun): Promise<RunToken> => {
      const stored = await read(run.runId)
      return stored ? opened(stored, run.runId) : make(run)
    },
    open: async (runId: string): Promise<RunToken | undefined> => {
      const stored = await read(runId)
      return stored && opened(stored, runId)
    },
    /** For the work of a run: its authors must still have the rights. Error: `extractor.run.authorRefused`. */
    openForWork: async ({ id, componentId }: { id: string; componentId: string }): Promise<RunToken> => {
      const document = await read(id)
      if (document === undefined) throw new Error(`The run ${id} has no token`)
      const authorIds = document.authors.map(author => author.id)
      const { rights } = await findRunRights(authorIds, componentId, tokens)
      if (!mayDoAsMuch(rights, { ...rights, ...document.given }))
        throw refused('A token whose rights the run has may do less than when the run began.')
      return opened(document, id)
    },
    /** Ends its rights. Harmless when it is gone, or never was. */
    revoke: async (runId: string): Promise<void> => {
      const stored = await read(runId)
      if (stored) await tokens.deleteToken(stored.tokenId)
    },
  }
}

/**
 * The least of the authors' own, without those on buckets that are gone: no service grants a right on nothing. None grants `manage`
 * either, which old tokens have: a run writes to buckets and deletes none.
 */
const permissionsOf = async (
  { canManageBuckets, bucketPermissions }: Rights,
  tokens: Pick<TokenClient, 'bucketIds'>,
): Promise<Rights['bucketPermissions']> => {
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
  { authors, rights: { canManageBuckets, canReadAllFileUploads }, expires }: RunRights,
  bucketPermissions: Rights['bucketPermissions'],
  now: Date,
) => {
  const endOfRun = startedAt.getTime() + LONGEST_RUN_SECONDS * 1000
  const end = expires ? Math.min(endOfRun, Date.parse(expires)) : endOfRun
  const names = authors.map(({ description }) => description).join(', ')
  return {
    description: `${tokenOfRun(runId)}${componentId}/${configId} for ${names}`.slice(0, MAX_DESCRIPTION),
    canManageBuckets,
    canReadAllFileUploads,
    bucketPermissions,
    componentAccess: [componentId],
    expiresIn: Math.max(1, Math.ceil((end - now.getTime()) / 1000)),
  } satisfies TokenSettings
}

const MAX_DESCRIPTION = 1_000

/** Says whose rights were missing for what: the service's reply says only that some were. */
export const sayWhoseRights = async <Result>(
  { authors }: { authors: RunAuthor[] },
  what: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UserError && error.status === 403)) throw error
    const named = authors.map(({ id, description }) => `"${description}" (${id})`)
    const whose =
      named.length > 1 ? `that the tokens ${named.join(', ')} have in common` : `of the token ${named}`
    throw new UserError(
      error.code,
      `${what}: the run has the rights ${whose}, and they do not reach so far. ${error.message}`,
      { status: 403, cause: error },
    )
  }
}
