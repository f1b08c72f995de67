import { UserError } from '../lib/errors/errors.ts'
import { mapSecrets } from '../lib/storage/secrets/map-secrets.ts'
import { isSealed } from '../lib/storage/secrets/sealed-secret.ts'

/** In place of an opener where another service holds the key. Error: `secrets.notOpened`. */
export const refuseSealed = (value: unknown): Promise<unknown> =>
  mapSecrets(value, async secret => {
    if (!isSealed(secret)) return secret
    throw new UserError(
      'secrets.notOpened',
      'A secret of the configuration was sealed by its storage service, which alone can open it.',
    )
  })
