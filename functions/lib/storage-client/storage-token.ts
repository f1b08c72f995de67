import * as z from 'zod/mini'
import type { ReadSecret } from '../cloud/secrets.ts'
import { readJson } from '../json/read-json.ts'

const filled = z.string().check(z.minLength(1))

const tokenParts = z.object({
  projectId: z.union([filled, z.number()]),
  tokenId: z.union([filled, z.number()]),
  secret: filled,
})

/**
 * The storage token in a secret's text: the plain token, or JSON `{"projectId","tokenId","secret"}` for
 * `projectId-tokenId-secret`. The JSON form lets Secrets Manager generate the random part.
 *
 * Throws when the text is empty or its JSON has another shape. The message never holds the text.
 */
export const readStorageToken = (secretString: string): string => {
  const text = secretString.trim()
  if (text === '') throw new Error('The secret of the storage token is empty')
  if (!text.startsWith('{')) return text
  const parsed = tokenParts.safeParse(readJson(text))
  if (!parsed.success)
    throw new Error(
      'The secret of the storage token must be the token or JSON with projectId, tokenId and secret',
    )
  const { projectId, tokenId, secret } = parsed.data
  return `${projectId}-${tokenId}-${secret}`
}

/** A new token counts after this time at most. */
export const TOKEN_KEPT_MS = 5 * 60_000

interface KeptToken {
  token: Promise<string>
  readAt: number
}

/** `isRefused`: the service did not take the token that is kept, so it is read at once. */
export type FetchToken = (given?: { isRefused?: boolean }) => Promise<string>

/** Reads the token from its secret, at most every five minutes. A failed read is repeated. */
export const createFetchToken = (
  secretArn: string,
  readSecret: ReadSecret,
  now: () => number = Date.now,
): FetchToken => {
  let kept: KeptToken | undefined
  return ({ isRefused = false } = {}) => {
    if (kept && !isRefused && now() - kept.readAt < TOKEN_KEPT_MS) return kept.token
    const token = readSecret(secretArn, 'AWSCURRENT').then(version => readStorageToken(version?.text ?? ''))
    const read = { token, readAt: now() }
    kept = read
    token.catch(() => {
      if (kept === read) kept = undefined
    })
    return token
  }
}

/** The token before the present one. `undefined`: it was never replaced. */
export const fetchPreviousToken = async (
  secretArn: string,
  readSecret: ReadSecret,
): Promise<string | undefined> => {
  const version = await readSecret(secretArn, 'AWSPREVIOUS')
  return version && readStorageToken(version.text)
}
