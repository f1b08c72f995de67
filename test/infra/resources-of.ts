import type { Template } from 'aws-cdk-lib/assertions'

interface Resource {
  Type: string
  // CloudFormation's properties differ by type; the assertions below say what they expect of them.
  Properties: Record<string, unknown>
}

export const resourcesOf = (template: Template, type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][] // findResources filters by this very type.

interface Statement {
  Action: string | string[]
  Resource: unknown
}

export const statementsOf = (template: Template): [string, Statement][] =>
  resourcesOf(template, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) => {
    const { Statement } = Properties['PolicyDocument'] as { Statement: Statement[] } // The shape of every IAM policy.
    return Statement.map((statement): [string, Statement] => [id, statement])
  })
