import { z } from 'zod'
import { isGatewayHost } from '../resources/compute.ts'
import { account, type Identity, type ResourceType, readProperties } from '../resources/resource-type.ts'
import { resourceTypes } from '../resources/resource-types.ts'
import { decide, resolve, type Scope } from './intrinsics.ts'
import { type Refusal, UnsupportedError, unsupported } from './unsupported.ts'

/** A resource of a known type, with its properties checked and its intrinsics resolved. */
export interface Resource<Properties> extends Identity {
  readonly ref: string
  readonly arn: string
  readonly properties: Properties
}

export interface Stack {
  readonly name: string
  /** The resources of one type, in the order of the template. */
  ofType<Properties>(type: ResourceType<Properties>): readonly Resource<Properties>[]
  readonly outputs: Readonly<Record<string, string>>
  /** The template's own, as it stands. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Reads a synthesised template into resources with local names, ARNs and addresses.
 *
 * Everything unknown is collected and refused together (`UnsupportedError`), so that one run shows all of it.
 */
export const readStack = (templateJson: unknown, stackName: string, apiUrl: string): Stack => {
  const template = parseTemplate(templateJson)
  const scope = createScope(template, stackName, apiUrl)
  const refusals: Refusal[] = []
  const resources = new Map<string, Resource<unknown>[]>()

  for (const [logicalId, declared] of Object.entries(template.Resources)) {
    if (declared.Condition && !scope.condition(declared.Condition)) continue
    collectRefusals(refusals, `${logicalId} (${declared.Type})`, () => {
      const type = knownType(logicalId, declared)
      const properties = readProperties(type, logicalId, resolve(declared.Properties, scope))
      refuseGatewayHosts(`${logicalId} (${declared.Type})`, properties)
      const identity = scope.identity(logicalId)
      const resource = {
        ...identity,
        ref: type.ref(identity),
        arn: type.attributes['Arn']?.(identity) ?? '',
        properties,
      }
      resources.set(declared.Type, [...(resources.get(declared.Type) ?? []), resource])
    })
  }

  const outputs: Record<string, string> = {}
  for (const [name, output] of Object.entries(template.Outputs)) {
    if (output.Condition && !scope.condition(output.Condition)) continue
    collectRefusals(refusals, `Outputs.${name}`, () => {
      outputs[name] = String(resolve(output.Value, scope))
    })
  }

  if (refusals.length > 0) throw new UnsupportedError(refusals)
  return {
    name: stackName,
    outputs,
    metadata: template.Metadata ?? {},
    // readProperties has checked each resource of this type with this schema.
    ofType: <Properties>(type: ResourceType<Properties>) =>
      (resources.get(type.type) ?? []) as unknown as readonly Resource<Properties>[],
  }
}

const createScope = (template: Template, stackName: string, apiUrl: string) => {
  const pseudoParameters: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': account.id,
    'AWS::Region': account.region,
    'AWS::Partition': account.partition,
    'AWS::URLSuffix': account.urlSuffix,
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:${account.partition}:cloudformation:${account.region}:${account.id}:stack/${stackName}/local`,
  }
  const underWay = new Set<string>()

  const identity = (logicalId: string): Identity => {
    const declared = template.Resources[logicalId]
    if (!declared) throw unsupported(logicalId, 'there is no such resource')
    const type = knownType(logicalId, declared)
    const given = type.nameProperty === undefined ? undefined : declared.Properties[type.nameProperty]
    if (underWay.has(logicalId)) throw unsupported(logicalId, 'its name refers to itself')
    underWay.add(logicalId)
    try {
      const path = constructPath(stackName, logicalId, declared)
      const generated = type.generatedName?.(path) ?? path.join('-').replaceAll(/[^A-Za-z0-9_-]/g, '')
      const name = given === undefined ? generated : String(resolve(given, scope))
      return { logicalId, stackName, name, apiUrl }
    } finally {
      underWay.delete(logicalId)
    }
  }

  const scope: Scope & { identity: typeof identity } = {
    identity,
    ref: name => {
      if (name in pseudoParameters) return pseudoParameters[name]
      const parameter = template.Parameters[name]
      if (!parameter) return knownTypeOf(name).ref(identity(name))
      if (parameter.Type.startsWith('AWS::SSM::'))
        throw unsupported(`Parameters.${name}`, 'there is no parameter store')
      if (parameter.Default === undefined) throw unsupported(`Parameters.${name}`, 'it has no default value')
      return parameter.Default
    },
    getAtt: (logicalId, attribute) => {
      const type = knownTypeOf(logicalId)
      const made = type.attributes[attribute]
      if (!made)
        throw unsupported(`Fn::GetAtt ${logicalId}.${attribute}`, `${type.type} has no such attribute here`)
      return made(identity(logicalId))
    },
    condition: name => {
      if (!(name in template.Conditions))
        throw unsupported(`Conditions.${name}`, 'there is no such condition')
      return decide(template.Conditions[name], scope)
    },
  }
  const knownTypeOf = (logicalId: string): ResourceType => {
    const declared = template.Resources[logicalId]
    if (!declared) throw unsupported(logicalId, 'there is no such resource or parameter')
    return knownType(logicalId, declared)
  }
  return scope
}

const knownType = (logicalId: string, declared: TemplateResource): ResourceType => {
  const type = resourceTypes.get(declared.Type)
  if (!type) throw unsupported(`${logicalId} (${declared.Type})`, 'this resource type is not known')
  return type
}

/** `Millrace/Import/Landing/Resource` names the resource better than a logical id with a hash does. */
const constructPath = (stackName: string, logicalId: string, declared: TemplateResource): string[] => {
  const path = declared.Metadata['aws:cdk:path']
  if (typeof path !== 'string') return [stackName, logicalId]
  return path.split('/').filter(part => part !== 'Resource' && part !== 'Default')
}

const collectRefusals = (refusals: Refusal[], where: string, read: () => void) => {
  try {
    read()
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error
    const named = error.refusals.map(refusal =>
      refusal.where.startsWith(where) ? refusal : { ...refusal, where: `${where} ${refusal.where}` },
    )
    refusals.push(...named)
  }
}

/** The gateway's default host belongs to AWS: a function that used it would leave this machine. */
const refuseGatewayHosts = (where: string, properties: unknown) => {
  if (isGatewayHost(JSON.stringify(properties) ?? ''))
    throw unsupported(where, 'it spells out the host of the HTTP API; take its ApiEndpoint attribute instead')
}

const resourceSchema = z.strictObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
  // Resources are made after everything they refer to, whatever DependsOn says.
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  // The runtime never deletes from the data directory, so every resource is retained.
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})

const parameterSchema = z.looseObject({ Type: z.string(), Default: z.unknown().optional() })

const outputSchema = z.strictObject({
  Value: z.unknown(),
  Description: z.string().optional(),
  Condition: z.string().optional(),
  Export: z.unknown().optional(),
})

const templateSchema = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
  Parameters: z.record(z.string(), parameterSchema).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  // CDK's only rule checks the account's bootstrap stack, which does not exist here.
  Rules: z.strictObject({ CheckBootstrapVersion: z.unknown() }).optional(),
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), outputSchema).default({}),
})

/** A CloudFormation template, its sections present and its intrinsics not yet resolved. */
type Template = z.infer<typeof templateSchema>
type TemplateResource = z.infer<typeof resourceSchema>

/** Reads a synthesised template. A section or resource attribute that is not listed above is refused by its name. */
const parseTemplate = (value: unknown): Template => {
  const parsed = templateSchema.safeParse(value)
  if (!parsed.success) throw unsupported('The template', z.prettifyError(parsed.error))
  return parsed.data
}
