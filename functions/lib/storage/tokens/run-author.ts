import { UserError } from '../../errors/errors.ts'
import type { Configuration } from '../../storage-client/seldom-read.ts'
import type { Token, TokenClient } from '../../storage-client/token-client.ts'
import { leastRights, type Rights } from './rights.ts'

/** A token that stored a part of what runs, or set it off. */
export interface RunAuthor {
  id: string
  description: string
}

/** The token that stored the last version of a configuration. */
export const lastAuthorIdOf = ({ id, currentVersion }: Configuration): string => {
  const authorId = currentVersion?.creatorToken?.id
  if (authorId !== undefined) return authorId
  throw refused(`The storage service does not say which token stored the configuration ${id}.`)
}

/** The tokens that stored the parts of a configuration that run. Another service names only the last one. */
export const authorIdsOf = (configuration: Configuration): string[] => [
  ...new Set([lastAuthorIdOf(configuration), ...configuration.authors.map(({ id }) => id)]),
]

/** What a run may do: what all its authors may. `expires`: when the first of their tokens does. */
export interface RunRights {
  authors: RunAuthor[]
  rights: Rights
  expires: string | null
}

/**
 * The least of the authors' rights as they are now. Throws `UserError` `extractor.run.authorRefused` unless each of them may
 * run configurations of the component: one was deleted, disabled, has expired, or may not use the component.
 */
export const findRunRights = async (
  authorIds: readonly string[],
  componentId: string,
  tokens: Pick<TokenClient, 'token'>,
): Promise<RunRights> => {
  const found = await Promise.all(authorIds.map(id => findAuthor(id, componentId, tokens)))
  const ends = found.flatMap(({ expires }) => (expires ? [expires] : []))
  return {
    authors: found.map(({ id, description }) => ({ id, description })),
    rights: leastRights(found.map(rightsOfToken)),
    expires: ends.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null,
  }
}

const rightsOfToken = ({ componentAccess, ...token }: Token): Rights => ({
  ...token,
  canPurgeTrash: false,
  componentAccess: componentAccess ?? [],
})

const findAuthor = async (
  authorId: string,
  componentId: string,
  tokens: Pick<TokenClient, 'token'>,
): Promise<Token> => {
  const token = await tokens.token(authorId).catch((error: unknown) => {
    if (!(error instanceof UserError && (error.status === 401 || error.status === 403))) throw error
    throw refused(
      'The storage token of the stack may not look up and make tokens, which a run in its authors’ rights needs. ' +
        'Put a token that manages tokens into its secret.',
    )
  })
  if (!token)
    throw refused(`The run would have the rights of the token ${authorId}, which does not exist any more.`)
  const problem = problemOf(token, componentId)
  if (problem)
    throw refused(
      `The run would have the rights of the token "${token.description}" (${authorId}), ${problem}.`,
    )
  return token
}

const problemOf = (token: Token, componentId: string): string | undefined => {
  if (token.isDisabled) return 'which is disabled'
  if (token.isExpired) return 'which has expired'
  const mayUse = token.canManageBuckets || (token.componentAccess ?? []).includes(componentId)
  return mayUse ? undefined : `which may not use the component ${componentId}`
}

export const refused = (reason: string): UserError =>
  new UserError(
    'extractor.run.authorRefused',
    `${reason} Store what it stored with another token: the configuration, its rows, their secrets, the trigger.`,
  )
