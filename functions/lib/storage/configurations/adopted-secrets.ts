import { parseJson } from '../../json/parse-json.ts'
import { listSecrets } from '../secrets/map-secrets.ts'
import { parseSealed, type SecretContext, type SecretOwner, sealedDigest } from '../secrets/sealed-secret.ts'
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
  const mayOpen = ({ digest, context }: FoundSecret) =>
    isOfComponent(context, owner) && (known.has(digest) || context.configurationId === owner.configId)
  return values
    .filter(value => mayOpen(value) && value.context.configurationId !== into)
    .map(({ digest }) => digest)
}

/** The configuration with these digests added to the adopted ones. */
export const adoptSecrets = (configuration: Configuration, digests: readonly string[]): Configuration => {
  const { adoptedSecrets } = configuration
  const added = digests.filter(digest => !adoptedSecrets.includes(digest))
  if (added.length === 0) return configuration
  return { ...configuration, adoptedSecrets: [...adoptedSecrets, ...new Set(added)] }
}

interface FoundSecret {
  digest: string
  context: SecretContext
}

const sealedValues = async (texts: readonly string[]): Promise<FoundSecret[]> => {
  const secrets = (await Promise.all(texts.map(text => listSecrets(parseJson(text))))).flat()
  return [...new Set(secrets)].flatMap(secret => {
    const sealed = parseSealed(secret)
    return sealed ? [{ digest: sealedDigest(secret), context: sealed.context }] : []
  })
}

const isOfComponent = (context: SecretContext, { projectId, componentId }: SecretOwner): boolean =>
  context.projectId === String(projectId) && context.componentId === componentId
