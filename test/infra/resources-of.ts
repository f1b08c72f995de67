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

interface RoleStatement {
  actions: readonly string[]
  statement: Statement
}

/** What each role allows, by the ids of the roles. */
export const rightsByRole = (template: Template): Map<string, RoleStatement[]> => {
  const found = new Map<string, RoleStatement[]>()
  for (const [, { Properties }] of resourcesOf(template, 'AWS::IAM::Policy')) {
    const { Statement } = Properties['PolicyDocument'] as { Statement: Statement[] } // The shape of every IAM policy.
    for (const { Ref } of Properties['Roles'] as { Ref: string }[])
      found.set(
        Ref,
        (found.get(Ref) ?? []).concat(
          Statement.map(statement => ({ actions: [statement.Action].flat(), statement })),
        ),
      )
  }
  return found
}

/** CDK joins the definition of a machine from texts and references. */
export const definitionTexts = ({ Properties }: Resource): unknown[] =>
  (Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1]

/** The definitions of the machines, by their ids; what is known only in the account is an ARN of a function. */
export const definitionsOf = (template: Template): [string, unknown][] =>
  resourcesOf(template, 'AWS::StepFunctions::StateMachine').map(([id, machine]) => {
    const text = definitionTexts(machine).map(part => {
      if (typeof part === 'string') return part
      return JSON.stringify(part).includes('AWS::Partition')
        ? 'aws'
        : 'arn:aws:lambda:eu-west-1:123456789012:function:f'
    })
    return [id, JSON.parse(text.join(''))]
  })
