/** Whose secret it is. Authenticated with the value: it opens for this configuration and its rows only. */
export interface SecretOwner {
  projectId: number
  componentId: string
  configId: string
}

/** The encryption context of the AWS Encryption SDK; also shown to KMS, whose log and key policy can tell it. */
export const encryptionContext = ({
  projectId,
  componentId,
  configId,
}: SecretOwner): Record<string, string> => ({
  projectId: String(projectId),
  componentId,
  configurationId: configId,
})

/** What our own sealed values begin with: bound to the project, in the notation that clients know. */
const PREFIX = 'KBC::ProjectSecure::'

/**
 * Whether a text is sealed already, by this service or by another of its kind. Clients read a configuration, change a
 * part and send it back whole: sealed values come back as they are.
 */
export const isSealed = (text: string): boolean => /^KBC::\w+::./.test(text)

export const formatSealed = (message: Uint8Array): string =>
  `${PREFIX}${Buffer.from(message).toString('base64')}`

/** The message of a sealed value, or `undefined` when it is none of ours. */
export const parseSealed = (text: string): Buffer | undefined => {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}
