import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { UserError } from '../../errors/errors.ts'
import { createLine } from '../db/create-line.ts'
import { listSecrets, mapSecrets } from './map-secrets.ts'
import {
  encryptionContext,
  formatSealed,
  isSealed,
  type SecretAuthor,
  type SecretOwner,
} from './sealed-secret.ts'

/**
 * Seals every secret of a JSON value that is not sealed yet. `mapSecrets` decides what a secret is.
 * Error: 400 `secrets.tooMany`.
 */
export type SealSecrets = (value: unknown, owner: SecretOwner & Partial<SecretAuthor>) => Promise<unknown>

interface SealerOptions {
  /** ARN of the KMS key that wraps the data keys. */
  keyArn: string
  kms?: KMSClientConfig
}

// Each takes about a millisecond of processor time and delays other requests. No real configuration has so many.
const MAX_SECRETS = 1_000

// A data key seals the secrets of one configuration, at most a thousand and for five minutes. Each call of KMS costs
// money and counts against the account's rate: a script that writes a hundred rows would make a thousand calls. Every
// message still has a key of its own, derived from the data key and a random message id (AWS Encryption SDK Developer
// Guide, "Data key caching").
const DATA_KEY_AGE_MS = 5 * 60_000
const SECRETS_PER_DATA_KEY = 1_000
const DATA_KEYS_HELD = 100

/**
 * Seals secrets with the AWS Encryption SDK under one KMS key. It only encrypts, so it needs `kms:GenerateDataKey` and
 * nothing else.
 *
 * The SDK is loaded with the first secret: most requests have none.
 */
export const createSealer = (options: SealerOptions): SealSecrets => {
  let sealing: ReturnType<typeof loadSealing> | undefined
  // One after the other: the first fetches the data key for the rest, instead of each calling KMS.
  const inLine = createLine()
  return async (value, owner) => {
    refuseTooMany(await listSecrets(value))
    return mapSecrets(value, async secret => {
      if (isSealed(secret)) return secret
      sealing ??= loadSealing(options)
      const seal = await sealing
      const { projectId, componentId, configId, tokenId } = owner
      return inLine(`${projectId}/${componentId}/${configId}/${tokenId}`, () => seal(secret, owner))
    })
  }
}

const refuseTooMany = (secrets: readonly string[]): void => {
  const count = secrets.filter(secret => !isSealed(secret)).length
  if (count > MAX_SECRETS)
    throw new UserError(
      'secrets.tooMany',
      `${count} values under "#" keys are to be sealed; one request may bring ${MAX_SECRETS}.`,
    )
}

const loadSealing = async ({ keyArn, kms = {} }: SealerOptions) => {
  const [{ buildEncrypt }, { KmsKeyringNode, KMS }, caching, materials] = await Promise.all([
    import('@aws-crypto/encrypt-node'),
    import('@aws-crypto/kms-keyring-node'),
    import('@aws-crypto/caching-materials-manager-node'),
    import('@aws-crypto/material-management-node'),
  ])
  const { encrypt } = buildEncrypt(materials.CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)
  const client = new KMS(kms)
  const manager = new caching.NodeCachingMaterialsManager({
    // Strict: only this key, in its own region.
    backingMaterials: new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider: () => client }),
    cache: caching.getLocalCryptographicMaterialsCache(DATA_KEYS_HELD),
    maxAge: DATA_KEY_AGE_MS,
    maxMessagesEncrypted: SECRETS_PER_DATA_KEY,
  })

  return async (secret: string, owner: SecretOwner & Partial<SecretAuthor>): Promise<string> => {
    const { result } = await encrypt(manager, Buffer.from(secret, 'utf8'), {
      encryptionContext: encryptionContext(owner),
      // No signature: whoever may ask KMS for a data key could sign too, and it doubles the length.
      suiteId: materials.AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY,
    })
    return formatSealed(result)
  }
}
