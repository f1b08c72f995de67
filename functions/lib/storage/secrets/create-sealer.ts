import type { SealingKeys } from '../../cloud/keys.ts'
import { sealingKeys } from '../../cloud/sealing-keys.ts'
import { UserError } from '../../errors/errors.ts'
import { listSecrets, mapSecrets } from './map-secrets.ts'
import {
  contextOf,
  dataKeyContext,
  formatSealed,
  isSealed,
  type SealedValue,
  type SecretAuthor,
  type SecretContext,
  type SecretOwner,
  sealText,
} from './sealed-secret.ts'

/**
 * Seals every secret of a JSON value that is not sealed yet. `mapSecrets` decides what a secret is.
 * Error: 400 `secrets.tooMany`.
 */
export type SealSecrets = (value: unknown, owner: SecretOwner & Partial<SecretAuthor>) => Promise<unknown>

interface SealerOptions {
  /** ARN of the KMS key. */
  keyArn: string
  /** Default: those of the cloud. */
  keys?: SealingKeys
}

/** Each becomes some 600 bytes: a body of 10 MB would become gigabytes. No real configuration has so many. */
const MAX_SECRETS = 1_000

/** A call of KMS for each costs money and counts against the account's rate, and strangers may ask for them. */
const MAX_CALLS = 10
/** KMS API Reference, "Encrypt". */
const LONGEST_BYTES = 4_096

type Seal = (secret: string) => Promise<SealedValue>

/**
 * Seals secrets by KMS; where a request brings many or long ones, under a data key of their own. It needs `kms:Encrypt`
 * and `kms:GenerateDataKey`, and can open nothing.
 */
export const createSealer = ({ keyArn, keys = sealingKeys }: SealerOptions): SealSecrets => {
  const byKms =
    (context: SecretContext): Seal =>
    async secret => ({
      context,
      text: toBase64(await keys.encrypt(keyArn, Buffer.from(secret, 'utf8'), { ...context })),
    })

  const underDataKey = async (context: SecretContext): Promise<Seal> => {
    const { plaintext, ciphertext } = await keys.dataKey(keyArn, dataKeyContext(context))
    const [key, dataKey] = [Buffer.from(plaintext), toBase64(ciphertext)]
    return async secret => ({ context, dataKey, text: sealText(key, secret) })
  }

  return async (value, owner) => {
    const secrets = (await listSecrets(value)).filter(secret => !isSealed(secret))
    refuseTooMany(secrets.length)
    const context = contextOf(owner)
    const areFew =
      secrets.length <= MAX_CALLS && secrets.every(secret => Buffer.byteLength(secret) <= LONGEST_BYTES)
    const seal = areFew ? byKms(context) : await underDataKey(context)
    return mapSecrets(value, async secret => (isSealed(secret) ? secret : formatSealed(await seal(secret))))
  }
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const refuseTooMany = (count: number): void => {
  if (count > MAX_SECRETS)
    throw new UserError(
      'secrets.tooMany',
      `${count} values under "#" keys are to be sealed; one request may bring ${MAX_SECRETS}.`,
    )
}
