import type { SecretOwner } from '../../lib/storage/secrets/sealed-secret.ts'
import type { Services } from '../services.ts'

/** The configuration that secrets are sealed for. */
export interface ConfigurationIds {
  componentId: string
  configId: string
}

export const ownerAt = (
  { componentId, configId }: ConfigurationIds,
  { projectId }: Pick<Services, 'projectId'>,
): SecretOwner => ({ projectId, componentId, configId })
