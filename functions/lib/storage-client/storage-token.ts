import * as z from 'zod/mini'

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
  const parsed = tokenParts.safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error(
      'The secret of the storage token must be the token or JSON with projectId, tokenId and secret',
    )
  const { projectId, tokenId, secret } = parsed.data
  return `${projectId}-${tokenId}-${secret}`
}

// Swallows the error: JSON.parse quotes its input, which is a secret.
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const tokens = new Map<string, Promise<string>>()

/** Reads the token from its secret once per container. A failed read is repeated. */
export const fetchStorageToken = (
  secretArn: string,
  readSecret: (secretArn: string) => Promise<string>,
): Promise<string> => {
  const known = tokens.get(secretArn)
  if (known) return known
  const fetched = readSecret(secretArn).then(readStorageToken)
  tokens.set(secretArn, fetched)
  fetched.catch(() => tokens.delete(secretArn))
  return fetched
}
