import { buildEncrypt } from '@aws-crypto/encrypt-node'
import { KMS, KmsKeyringNode } from '@aws-crypto/kms-keyring-node'
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node'
import { formatSealed } from '../../functions/lib/storage/secrets/sealed-secret.ts'
import type { startKeyService } from './key-service.ts'

/** A secret as version 0.1 sealed it: for a component, without a configuration. */
export const sealAsVersion01 = async (
  secret: string,
  componentId: string,
  { keyArn, kms }: Awaited<ReturnType<typeof startKeyService>>,
): Promise<string> => {
  const { encrypt } = buildEncrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)
  const client = new KMS(kms)
  const keyring = new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider: () => client })
  const { result } = await encrypt(keyring, Buffer.from(secret), {
    encryptionContext: { projectId: '7', componentId },
    suiteId: AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY,
  })
  client.destroy()
  return formatSealed(result)
}
