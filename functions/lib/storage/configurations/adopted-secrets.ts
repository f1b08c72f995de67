import { parseExactly } from '../../json/parse-exactly.ts'
import { listSecrets } from '../secrets/map-secrets.ts'
import { isSealed, type SecretOwner } from '../secrets/sealed-secret.ts'
import { type SecretOrigin, sealedDigest, secretOrigin } from '../secrets/secret-origin.ts'
import type { Configuration } from './configuration.ts'

type Secrets = NonNullable<Configuration['secrets']>

/** A configuration of this service, as the owner of its secrets. */
export interface SecretHome {
  configuration: Configuration
  owner: SecretOwner
}

/** JSON texts of one version of a configuration: the configuration, its rows, the states. */
interface SecretTexts {
  texts: readonly string[]
  /** The version they belong to. `undefined` for states, which belong to none. */
  version?: number
}

/**
 * The sealed values from elsewhere that a configuration may open. Only the service adds to them, when it copies. Values
 * that a client pastes are not among them.
 *
 * In a configuration that version 0.1 wrote last, these are the values that name no configuration: that version did not
 * bind them to one.
 */
export const adoptedSecretsOf = async ({ configuration, owner }: SecretHome): Promise<Secrets> => {
  if (configuration.secrets) return configuration.secrets
  const { version, content } = configuration.current
  const texts = [content.configuration, configuration.state, ...content.rows.map(row => row.configuration)]
  const states = configuration.rows.map(({ state }) => state)
  const values = await sealedValues([...texts, ...states])
  const unbound = values.filter(({ origin }) => isOfComponent(origin, owner) && !origin.configurationId)
  return { adopted: unbound.map(({ digest }) => digest), unboundUntil: version }
}

/** Records what the configuration has adopted, before this release changes it for the first time. */
export const withAdoptedSecrets = async (home: SecretHome): Promise<Configuration> =>
  home.configuration.secrets
    ? home.configuration
    : { ...home.configuration, secrets: await adoptedSecretsOf(home) }

/**
 * Digests of the sealed values in these texts that open in their own configuration. The copy, `into`, adopts them.
 */
export const secretsToAdopt = async (
  home: SecretHome,
  { texts, version = Number.POSITIVE_INFINITY }: SecretTexts,
  into: string,
): Promise<string[]> => {
  const { adopted, unboundUntil } = await adoptedSecretsOf(home)
  const known = new Set(adopted)
  const values = await sealedValues(texts)
  const mayOpen = ({ digest, origin }: SealedValue) =>
    isOfComponent(origin, home.owner) &&
    (known.has(digest) ||
      origin.configurationId === home.owner.configId ||
      (origin.configurationId === undefined && version <= unboundUntil))
  return values
    .filter(value => mayOpen(value) && value.origin.configurationId !== into)
    .map(({ digest }) => digest)
}

/** The configuration with these digests added to the adopted ones. */
export const adoptSecrets = (configuration: Configuration, digests: readonly string[]): Configuration => {
  const { adopted, unboundUntil } = configuration.secrets ?? { adopted: [], unboundUntil: 0 }
  const added = digests.filter(digest => !adopted.includes(digest))
  if (added.length === 0) return configuration
  return { ...configuration, secrets: { adopted: [...adopted, ...new Set(added)], unboundUntil } }
}

interface SealedValue {
  digest: string
  origin: SecretOrigin
}

const sealedValues = async (texts: readonly string[]): Promise<SealedValue[]> => {
  const secrets = (await Promise.all(texts.map(text => listSecrets(parseExactly(text))))).flat()
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
