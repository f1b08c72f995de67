import type { AthenaClient } from '@aws-sdk/client-athena'
import type { GlueClient } from '@aws-sdk/client-glue'

/**
 * Athena, Glue or Lake Formation does not let the stack do what it is for. Whoever runs the stack can mend it and no user of
 * it can, so it is neither a `UserError` nor transient: the machine writes a dead letter, whose alarm says what is missing.
 */
export class MissingGrant extends Error {
  override readonly name = 'MissingGrant'

  constructor(refusal: string, options?: ErrorOptions) {
    super(
      `${whatIsMissing(refusal)} (docs/operations.md, "Rights on Athena and Glue"). AWS said: ${refusal}`,
      options,
    )
  }
}

/** Lake Formation comes first: what it refuses, IAM has allowed. Glue and S3 word theirs as IAM does. */
const LAKE_FORMATION = /Insufficient Lake Formation permission\(s\)(?:: Required (.+?))? on ([^\s(]+)/i
const IAM = /is not authorized to perform: (\S+)(?: on resource: (\S+))?/i
const OTHERS =
  /insufficient permissions|access ?denied|permission denied|not authorized|no accessible columns|lake formation/i

/** Whether what Athena says of a query that failed is about rights. */
export const isAboutRights = (reason: string): boolean =>
  [LAKE_FORMATION, IAM, OTHERS].some(words => words.test(reason))

const whatIsMissing = (refusal: string): string => {
  const [lakeFormation, right = 'all rights', place] = LAKE_FORMATION.exec(refusal) ?? []
  if (lakeFormation)
    return `A grant of Lake Formation is missing: give the role of the function "${right}" on ${place}`
  const [iam, action, resource] = IAM.exec(refusal) ?? []
  if (iam)
    return `A right is missing: allow the role of the function ${action} on ${resource ?? 'its resource'}`
  return 'A right of the function on Athena, Glue or S3 is missing, or Lake Formation does not give it'
}

/** Makes each call of a client that is refused for its rights throw `MissingGrant`. May be repeated. */
export const nameMissingGrants = (client: AthenaClient | GlueClient): void => {
  const { middlewareStack } = client as GlueClient // What is added suits the stack of either.
  middlewareStack.add(
    next => args =>
      next(args).catch(error => {
        throw error instanceof Error && error.name === 'AccessDeniedException'
          ? new MissingGrant(error.message, { cause: error })
          : error
      }),
    { name: 'nameMissingGrants', step: 'initialize', override: true },
  )
}
