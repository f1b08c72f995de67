import { shortDigest } from '../../digests.ts'
import { isSealed, parseSealed } from './sealed-secret.ts'

const DIGEST_LENGTH = 22

/** Identifies a sealed value in a configuration: 128 bits of its hash, which reveal nothing. */
export const sealedDigest = (sealed: string): string => shortDigest(sealed, DIGEST_LENGTH)

/** What a sealed value says about where it was sealed. */
export interface SecretOrigin {
  projectId: string | undefined
  componentId: string | undefined
  configurationId: string | undefined
  /** The token that brought it. */
  tokenId: string | undefined
}

/**
 * Reads from its header where a value was sealed, without a key. `undefined` when it is not one of ours. The header is
 * authenticated with the value: if it is changed, the value cannot be opened.
 */
export const secretOrigin = async (text: string): Promise<SecretOrigin | undefined> => {
  const message = isSealed(text) ? parseSealed(text) : undefined
  const context = message && (await readContext(message))
  if (!context) return undefined
  const { projectId, componentId, configurationId, tokenId } = context
  return { projectId, componentId, configurationId, tokenId }
}

const readContext = async (message: Buffer): Promise<Record<string, string> | undefined> => {
  const read = await loadReader()
  try {
    const header = read(message)
    return header ? header.messageHeader.encryptionContext : undefined
  } catch {
    // Not a message of the SDK.
    return undefined
  }
}

/** The SDK is loaded with the first sealed value: most requests have none. */
const loadReader = async () => {
  const [{ deserializeFactory }, { NodeAlgorithmSuite }] = await Promise.all([
    import('@aws-crypto/serialize'),
    import('@aws-crypto/material-management-node'),
  ])
  const toUtf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
  return deserializeFactory(toUtf8, NodeAlgorithmSuite).deserializeMessageHeader
}
