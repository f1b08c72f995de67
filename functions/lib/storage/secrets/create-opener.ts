import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { UserError } from '../../errors/errors.ts'
import { mapSecrets } from './map-secrets.ts'
import { encryptionContext, isSealed, parseSealed, type SecretOwner } from './sealed-secret.ts'
import { sealedDigest } from './secret-origin.ts'

/** Who opens secrets: a configuration, and the digests of values that the service itself copied to it. */
export interface SecretReader extends SecretOwner {
  adoptedSecrets?: readonly string[]
}

/** Opens every sealed secret of a JSON value. Other values stay. Error: `secrets.notOpened`. */
type OpenSecrets = (value: unknown, reader: SecretReader) => Promise<unknown>

interface OpenerOptions {
  keyArn: string
  kms?: KMSClientConfig
}

// Secrets that were sealed together share a data key, and each leg of an extraction opens the same ones.
const DATA_KEY_AGE_MS = 5 * 60_000
const DATA_KEYS_HELD = 100

/**
 * Opens what `createSealer` sealed, for the function that runs a component. Needs `kms:Decrypt`.
 *
 * Refuses a secret that a client pasted here from elsewhere, although KMS would open it: the owner must be the one it
 * was sealed for, or the service itself must have copied it.
 */
export const createOpener = (options: OpenerOptions): OpenSecrets => {
  let opening: ReturnType<typeof loadOpening> | undefined
  return (value, reader) =>
    mapSecrets(value, async secret => {
      if (!isSealed(secret)) return secret
      opening ??= loadOpening(options)
      return (await opening)(secret, reader)
    })
}

const loadOpening = async ({ keyArn, kms = {} }: OpenerOptions) => {
  const [{ buildDecrypt }, { KmsKeyringNode, KMS }, caching, materials] = await Promise.all([
    import('@aws-crypto/decrypt-node'),
    import('@aws-crypto/kms-keyring-node'),
    import('@aws-crypto/caching-materials-manager-node'),
    import('@aws-crypto/material-management-node'),
  ])
  const { decrypt } = buildDecrypt(materials.CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)
  const client = new KMS(kms)
  const manager = new caching.NodeCachingMaterialsManager({
    backingMaterials: new KmsKeyringNode({ keyIds: [keyArn], clientProvider: () => client }),
    cache: caching.getLocalCryptographicMaterialsCache(DATA_KEYS_HELD),
    maxAge: DATA_KEY_AGE_MS,
  })

  return async (secret: string, reader: SecretReader): Promise<string> => {
    const message = parseSealed(secret)
    if (!message) throw notOpened('It was sealed by another service.')
    const { plaintext, messageHeader } = await decrypt(manager, message).catch((cause: unknown) => {
      // That KMS is busy or unreachable does not mean that the secret is bad.
      if (cause instanceof Error && '$metadata' in cause && !isRefusal(cause)) throw cause
      throw notOpened('It is damaged, or was sealed under another key.')
    })
    const isFor = (name: string) => messageHeader.encryptionContext[name] === encryptionContext(reader)[name]
    if (!isFor('projectId') || !isFor('componentId'))
      throw notOpened('It was sealed for another project or component.')
    const isForAll = messageHeader.encryptionContext['configurationId'] === undefined
    if (!isForAll && !isFor('configurationId') && !reader.adoptedSecrets?.includes(sealedDigest(secret)))
      throw notOpened('It was sealed for another configuration.')
    return plaintext.toString('utf8')
  }
}

const isRefusal = ({ name }: Error): boolean =>
  name === 'InvalidCiphertextException' || name === 'IncorrectKeyException'

const notOpened = (reason: string) =>
  new UserError(
    'secrets.notOpened',
    `A secret of the configuration cannot be opened. ${reason} Enter it again.`,
  )
