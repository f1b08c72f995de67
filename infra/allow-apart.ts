import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'

/**
 * Rights of a role on what depends on the role's own policy: on a machine whose functions or whose states have the role. So
 * they are a policy of their own.
 */
export const allowApart = (
  scope: Construct,
  id: string,
  role: IRole | undefined,
  rights: readonly { readonly actions: string[]; readonly resources: string[] }[],
): void => {
  const statements = rights.map(right => new PolicyStatement(right))
  role?.attachInlinePolicy(new Policy(scope, id, { statements }))
}
