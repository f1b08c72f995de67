import { type AccessRequest, isAllowedBy } from '../s3/auth/policy.ts'
import type { PolicyDocument } from '../s3/auth/policy-document.ts'
import { parsePolicy, type Statement } from '../s3/auth/policy-document.ts'

/**
 * Decides what roles may do.
 *
 * A call without a resource (`*`) only needs a statement that allows its action.
 */
export class RolePolicies {
  readonly #statements: ReadonlyMap<string, readonly Statement[]>

  constructor(documents: ReadonlyMap<string, PolicyDocument>) {
    this.#statements = new Map([...documents].map(([arn, document]) => [arn, parsePolicy(document)]))
  }

  /** @param context values of condition keys that the call has, by their lower-case names */
  isAllowed(
    { roleArn }: { readonly roleArn: string },
    action: string,
    resource: string,
    context: AccessRequest['context'] = {},
  ): boolean {
    const statements = this.#statements.get(roleArn) ?? []
    return isAllowedBy(statements, { action, resource, context })
  }
}
