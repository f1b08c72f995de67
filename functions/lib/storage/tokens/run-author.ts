import { UserError } from '../../errors/errors.ts'
import type { Configuration } from '../../storage-client/seldom-read.ts'
import type { TokenClient } from '../../storage-client/token-client.ts'
import type { Token } from '../../storage-client/token-reads.ts'

/** Whose rights a run has. */
export interface RunAuthor {
  id: string
  description: string
}

/** The token that stored the configuration last: it is responsible for what the configuration does. */
export const authorIdOf = ({ id, currentVersion }: Configuration): string => {
  const authorId = currentVersion?.creatorToken?.id
  if (authorId !== undefined) return authorId
  throw refused(`The storage service does not say which token stored the configuration ${id}.`)
}

/**
 * The author's token as it is now. Throws `UserError` `extractor.run.authorRefused` unless it may run configurations of the
 * component: it was deleted, disabled, has expired, or may not use the component.
 */
export const findRunAuthor = async (
  authorId: string,
  componentId: string,
  tokens: Pick<TokenClient, 'token'>,
): Promise<Token> => {
  const token = await tokens.token(authorId).catch((error: unknown) => {
    if (!(error instanceof UserError && (error.status === 401 || error.status === 403))) throw error
    throw refused(
      'The storage token of the stack may not look up and make tokens, which a run in its author’s rights needs. ' +
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

const refused = (reason: string) =>
  new UserError('extractor.run.authorRefused', `${reason} Store or run the configuration with another token.`)
