import { parseJson } from '../../json/parse-json.ts'
import { listSecrets } from '../secrets/map-secrets.ts'
import { isSealed, type SecretOwner } from '../secrets/sealed-secret.ts'
import { type SecretOrigin, sealedDigest, secretOrigin } from '../secrets/secret-origin.ts'
import type { Configuration } from './configuration.ts'

/** A configuration of this service, as the owner of its secrets. */
export interface SecretHome {
  configuration: Configuration
  owner: SecretOwner
}

/**
 * Digests of the sealed values in these texts that open in their own configuration. The copy, `into`, adopts them.
 *
 * Only the service adds to what a configuration may open, when it copies. Values that a client pastes are not among it.
 */
export const secretsToAdopt = async (
  { configuration, owner }: SecretHome,
  texts: readonly string[],
  into: string,
): Promise<string[]> => {
  const known = new Set(configuration.adoptedSecrets)
  const values = await sealedValues(texts)
  const mayOpen = ({ digest, origin }: SealedValue) =>
    isOfComponent(origin, owner) && (known.has(digest) || origin.configurationId === owner.configId)
  return values
    .filter(value => mayOpen(value) && value.origin.configurationId !== into)
    .map(({ digest }) => digest)
}

/** The configuration with these digests added to the adopted ones. */
export const adoptSecrets = (configuration: Configuration, digests: readonly string[]): Configuration => {
  const { adoptedSecrets } = configuration
  const added = digests.filter(digest => !adoptedSecrets.includes(digest))
  if (added.length === 0) return configuration
  return { ...configuration, adoptedSecrets: [...adoptedSecrets, ...new Set(added)] }
}

interface SealedValue {
  digest: string
  origin: SecretOrigin
}

const sealedValues = async (texts: readonly string[]): Promise<SealedValue[]> => {
  const secrets = (await Promise.all(texts.map(text => listSecrets(parseJson(text))))).flat()
  const values = await Promise.all(
    [...new Set(secrets)].filter(isSealed).map(async sealed => {
      const origin = await secretOrigin(sealed)
      return origin && { digest: sealedDigest(sealed), origin }
    }),
  )
  return values.filter(value => value !== undefined)
}

const isOfComponent = (origin: SecretOrigin, { projectId, componentId }: SecretOwner): boolean =>
  origin.projectId === String(projectId) && origin.componentId === componentId
