import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { UserError } from '../../errors/errors.ts'
import { mapSecrets } from './map-secrets.ts'
import { encryptionContext, isSealed, parseSealed, type SecretOwner } from './sealed-secret.ts'

/** Opens every sealed secret of a JSON value; what is not sealed stays. Error: `secrets.notOpened`. */
export type OpenSecrets = (value: unknown, owner: SecretOwner) => Promise<unknown>

export interface OpenerOptions {
  keyArn: string
  kms?: KMSClientConfig
}

// Secrets that were sealed together share a data key, and each leg of an extraction opens the same ones again.
const DATA_KEY_AGE_MS = 5 * 60_000
const DATA_KEYS_HELD = 100

/**
 * Opens what `createSealer` sealed, for the function that runs a component; needs `kms:Decrypt`.
 *
 * A secret that was copied here from another project or component is refused, although KMS would open it: the context
 * that it was sealed under must be the owner's.
 */
export const createOpener = (options: OpenerOptions): OpenSecrets => {
  let opening: ReturnType<typeof loadOpening> | undefined
  return (value, owner) =>
    mapSecrets(value, async secret => {
      if (!isSealed(secret)) return secret
      opening ??= loadOpening(options)
      return (await opening)(secret, owner)
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

  return async (secret: string, owner: SecretOwner): Promise<string> => {
    const message = parseSealed(secret)
    if (!message) throw notOpened('It was sealed by another service.')
    const { plaintext, messageHeader } = await decrypt(manager, message).catch((cause: unknown) => {
      // KMS out of reach or busy is no fault of the secret's.
      if (cause instanceof Error && '$metadata' in cause && !isRefusal(cause)) throw cause
      throw notOpened('It is damaged, or was sealed under another key.')
    })
    const expected = Object.entries(encryptionContext(owner))
    if (expected.some(([name, value]) => messageHeader.encryptionContext[name] !== value))
      throw notOpened('It was sealed for another project or component.')
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
