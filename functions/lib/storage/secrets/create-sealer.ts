import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { UserError } from '../../errors/errors.ts'
import { createLine } from '../db/create-line.ts'
import { listSecrets, mapSecrets } from './map-secrets.ts'
import { encryptionContext, formatSealed, isSealed, type SecretOwner } from './sealed-secret.ts'

/**
 * Seals every secret of a JSON value that is not sealed yet; see `mapSecrets` for what counts as one.
 * Error: 400 `secrets.tooMany`.
 */
export type SealSecrets = (value: unknown, owner: SecretOwner) => Promise<unknown>

interface SealerOptions {
  /** ARN of the KMS key that wraps the data keys. */
  keyArn: string
  kms?: KMSClientConfig
}

// Each takes about a millisecond of the processor, which other requests wait for. No configuration has so many.
const MAX_SECRETS = 1_000

// One data key seals the secrets of one configuration for five minutes at most, and a thousand of them at most. Each call of
// KMS costs money and counts against the account's rate; a configuration easily holds ten secrets, and a script that
// writes a hundred rows would make a thousand calls. Every message has a key of its own all the same: it is derived from
// the data key and a random id of the message (AWS Encryption SDK Developer Guide, "Data key caching").
const DATA_KEY_AGE_MS = 5 * 60_000
const SECRETS_PER_DATA_KEY = 1_000
const DATA_KEYS_HELD = 100

/**
 * Seals secrets with the AWS Encryption SDK under one KMS key. It only ever encrypts: who holds it needs
 * `kms:GenerateDataKey` and no more.
 *
 * The SDK is loaded with the first secret; most requests have none.
 */
export const createSealer = (options: SealerOptions): SealSecrets => {
  let sealing: ReturnType<typeof loadSealing> | undefined
  // One after the other, so that the first brings the data key for the rest instead of each asking KMS for its own.
  const inLine = createLine()
  return async (value, owner) => {
    refuseTooMany(await listSecrets(value))
    return mapSecrets(value, async secret => {
      if (isSealed(secret)) return secret
      sealing ??= loadSealing(options)
      const seal = await sealing
      const { projectId, componentId, configId } = owner
      return inLine(`${projectId}/${componentId}/${configId}`, () => seal(secret, owner))
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
    // Strict: this very key, in its own region. No discovery, no other key can be asked for.
    backingMaterials: new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider: () => client }),
    cache: caching.getLocalCryptographicMaterialsCache(DATA_KEYS_HELD),
    maxAge: DATA_KEY_AGE_MS,
    maxMessagesEncrypted: SECRETS_PER_DATA_KEY,
  })

  return async (secret: string, owner: SecretOwner): Promise<string> => {
    const { result } = await encrypt(manager, Buffer.from(secret, 'utf8'), {
      encryptionContext: encryptionContext(owner),
      // Without a signature: whoever may ask KMS for a data key could sign as well, and it doubles the length.
      suiteId: materials.AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY,
    })
    return formatSealed(result)
  }
}
