import { S3Error } from '../errors.ts'
import type { Principal } from './caller.ts'
import { type AccessRequest, evaluatePolicy } from './policy.ts'
import { MalformedPolicyError, type PolicyDocument, parsePolicy, type Statement } from './policy-document.ts'

export type Roles = ReadonlyMap<string, PolicyDocument>

/**
 * Decides what a principal may do.
 *
 * The account's own key may do everything. A session may do what its role's policy *and* its session policy allow;
 * the role is looked up at each call, so a change of a role affects its sessions at once.
 */
export const authorizerOf = (roles: Roles) => {
  // Each document is parsed once. A changed role has a new document object.
  const read = new WeakMap<PolicyDocument, Statement[]>()
  const statementsOf = (policy: PolicyDocument): Statement[] => {
    const statements = read.get(policy) ?? parseStored(policy)
    read.set(policy, statements)
    return statements
  }
  return (principal: Principal, request: AccessRequest): boolean => {
    if (principal.roleArn === undefined) return true
    const rolePolicy = roles.get(principal.roleArn)
    if (rolePolicy === undefined) return false
    const policies = principal.policy === undefined ? [rolePolicy] : [rolePolicy, principal.policy]
    return policies.every(policy => evaluatePolicy(statementsOf(policy), request) === 'allowed')
  }
}

const parseStored = (policy: PolicyDocument): Statement[] => {
  try {
    return parsePolicy(policy)
  } catch (error) {
    // The policy was checked when the role was assumed, so it has changed since.
    if (error instanceof MalformedPolicyError) throw new S3Error('AccessDenied', error.message)
    throw error
  }
}
