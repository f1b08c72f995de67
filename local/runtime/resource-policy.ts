import { z } from 'zod'
import { isAllowedBy } from '../s3/auth/policy.ts'
import { parsePolicy, type Statement } from '../s3/auth/policy-document.ts'
import { account } from './resources/resource-type.ts'

/** A service of the cloud that acts for one of the stack's resources. */
interface ServiceRequest {
  /** `cloudwatch.amazonaws.com` */
  readonly service: string
  /** The resource for which it acts: an alarm, a rule. */
  readonly sourceArn: string
  readonly action: string
  readonly resource: string
}

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform(value => [value].flat())

const document = z.strictObject({
  Version: z.string().optional(),
  Id: z.string().optional(),
  Statement: z.array(
    z.looseObject({
      Principal: z.union([
        z.literal('*'),
        z.strictObject({ AWS: oneOrMore.optional(), Service: oneOrMore.optional() }),
      ]),
    }),
  ),
})

interface PrincipalStatement {
  readonly isForEverybody: boolean
  readonly services: readonly string[]
  readonly statement: Statement
}

/**
 * The policy of a topic or a queue. A service may do only what a statement allows it: unlike a role, it has no rights of
 * its own (IAM User Guide, "Identity-based policies and resource-based policies").
 */
export class ResourcePolicy {
  readonly #statements: readonly PrincipalStatement[]

  /** Throws for a document that cannot be enforced as it is written. */
  constructor(documents: readonly unknown[]) {
    this.#statements = documents.flatMap(given =>
      document.parse(given).Statement.flatMap(({ Principal, ...rest }) =>
        parsePolicy({ Statement: [rest] }).map(statement => ({
          isForEverybody: Principal === '*' || Principal.AWS?.includes('*') === true,
          services: Principal === '*' ? [] : (Principal.Service ?? []),
          statement,
        })),
      ),
    )
  }

  allows({ service, sourceArn, action, resource }: ServiceRequest): boolean {
    const statements = this.#statements
      .filter(({ isForEverybody, services }) => isForEverybody || services.includes(service))
      .map(({ statement }) => statement)
    // Services call each other over TLS.
    const context = {
      'aws:securetransport': 'true',
      'aws:sourceaccount': account.id,
      'aws:sourcearn': sourceArn,
    }
    return isAllowedBy(statements, { action, resource, context })
  }
}
