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
  policiesOf(template).flatMap(({ id, statements }) =>
    statements.map((statement): [string, Statement] => [id, statement]),
  )

interface Policy {
  id: string
  roles: string[]
  statements: Statement[]
}

/** Policies of their own and those that stand in roles. Both have the shape of every IAM policy. */
export const policiesOf = (template: Template): Policy[] => [
  ...resourcesOf(template, 'AWS::IAM::Policy').map(([id, { Properties }]) => ({
    id,
    roles: (Properties['Roles'] as { Ref: string }[]).map(({ Ref }) => Ref),
    statements: (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement,
  })),
  ...resourcesOf(template, 'AWS::IAM::Role').flatMap(([id, { Properties }]) =>
    ((Properties['Policies'] ?? []) as { PolicyDocument: { Statement: Statement[] } }[]).map(
      ({ PolicyDocument }) => ({ id, roles: [id], statements: PolicyDocument.Statement }),
    ),
  ),
]

interface RoleStatement {
  actions: readonly string[]
  statement: Statement
}

/** What each role allows, by the ids of the roles. */
export const rightsByRole = (template: Template): Map<string, RoleStatement[]> => {
  const found = new Map<string, RoleStatement[]>()
  for (const { roles, statements } of policiesOf(template))
    for (const role of roles)
      found.set(
        role,
        (found.get(role) ?? []).concat(
          statements.map(statement => ({ actions: [statement.Action].flat(), statement })),
        ),
      )
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
