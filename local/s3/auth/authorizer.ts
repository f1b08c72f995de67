import { S3Error } from '../errors.ts'
import type { Principal } from './caller.ts'
import { type AccessRequest, type Decision, evaluatePolicy } from './policy.ts'
import { MalformedPolicyError, type PolicyDocument, parsePolicy, type Statement } from './policy-document.ts'

export type Roles = ReadonlyMap<string, PolicyDocument>

/**
 * Decides what a principal may do.
 *
 * The account's own key may do everything. A session may do what its role's policy *and* its session policy allow;
 * the role is looked up at each call, so a change of a role affects its sessions at once.
 */
export class Authorizer {
  readonly #roles: Roles
  // Each document is parsed once. A changed role has a new document object.
  readonly #read = new WeakMap<PolicyDocument, Statement[]>()

  constructor(roles: Roles) {
    this.#roles = roles
  }

  isAllowed(principal: Principal, request: AccessRequest): boolean {
    if (principal.kind === 'root') return true
    const rolePolicy = this.#roles.get(principal.roleArn)
    if (rolePolicy === undefined) return false
    if (this.#decide(rolePolicy, request) !== 'allowed') return false
    return principal.policy === undefined || this.#decide(principal.policy, request) === 'allowed'
  }

  #decide(policy: PolicyDocument, request: AccessRequest): Decision {
    return evaluatePolicy(this.#statementsOf(policy), request)
  }

  #statementsOf(policy: PolicyDocument): Statement[] {
    const known = this.#read.get(policy)
    if (known !== undefined) return known
    try {
      const statements = parsePolicy(policy)
      this.#read.set(policy, statements)
      return statements
    } catch (error) {
      // The policy was checked when the role was assumed, so it has changed since.
      if (error instanceof MalformedPolicyError) throw new S3Error('AccessDenied', error.message)
      throw error
    }
  }
}
