import { join } from 'node:path'
import { z } from 'zod'
import { readDefinition, type StateMachine } from './executions/definition.ts'
import { isKnownTask } from './executions/task-resources.ts'
import { type ConcurrencyPool, concurrencyPools } from './lambda/concurrency-pool.ts'
import type { FunctionDefinition } from './lambda/function-definition.ts'
import { type PolicyDocument, policy, role } from './resources/access.ts'
import {
  type FunctionProperties,
  httpApi,
  httpApiIntegration,
  httpApiRoute,
  httpApiStage,
  lambdaFunction,
  stateMachine,
} from './resources/compute.ts'
import type { Assembly } from './template/assembly.ts'
import type { Resource, Stack } from './template/stack.ts'
import { unsupported } from './template/unsupported.ts'

/** An account runs up to a thousand invocations at a time; on two cores they would only slow each other down. One that loads holds 80 MB. */
const SIDE_BY_SIDE = 3

/** Of functions whose invocations are too short to keep others waiting. */
const FEW_SIDE_BY_SIDE = 2

/** With so much memory a function has one whole core in Lambda (Developer Guide, "Configuring function memory"). */
const MIB_OF_A_CORE = 1769

const SHORT_SECONDS = 120

/** Lambda quotas, "Concurrent executions". */
const usualConcurrency = 1000

/** Invocations that the account runs at a time, as the stack's configuration says. */
const accountConcurrency = ({ metadata }: Stack): number =>
  z.int().default(usualConcurrency).parse(metadata['AccountConcurrency'])

/** The pool of each function by its ARN. */
export const functionConcurrency = (
  stack: Stack,
  definitions: readonly FunctionDefinition[],
): ReadonlyMap<string, ConcurrencyPool> => concurrencyPools(definitions, accountConcurrency(stack))

/** The functions of the stack, ready to run from their asset directories. */
export const functionDefinitions = (stack: Stack, assembly: Assembly): FunctionDefinition[] =>
  stack.ofType(lambdaFunction).map(resource => ({
    name: resource.name,
    arn: resource.arn,
    logicalId: resource.logicalId,
    ...bundleOf(resource, assembly),
    environment: resource.properties.Environment?.Variables ?? {},
    roleArn: resource.properties.Role,
    timeoutSeconds: resource.properties.Timeout,
    memoryMiB: resource.properties.MemorySize,
    reservedConcurrency: resource.properties.ReservedConcurrentExecutions,
    ...threadsOf(resource.properties),
  }))

/** A thread takes 50 to 100 MB as soon as it has worked, and keeps it for the next invocation. */
const threadsOf = ({ MemorySize, Timeout }: FunctionProperties) => ({
  isHeavy: MemorySize > MIB_OF_A_CORE,
  concurrency: Timeout <= SHORT_SECONDS ? FEW_SIDE_BY_SIDE : SIDE_BY_SIDE,
})

const bundleOf = ({ properties }: Resource<FunctionProperties>, assembly: Assembly) => ({
  codeFolder: assembly.assetDirectory(properties.Code.S3Key),
  modulePath: join(assembly.assetDirectory(properties.Code.S3Key), 'index.mjs'),
  exportName: properties.Handler.slice('index.'.length),
})

/** What each role may do: its inline policies and those attached to it. */
export const rolePolicies = (stack: Stack): Map<string, PolicyDocument> =>
  new Map(
    stack.ofType(role).map(({ name, arn, properties }) => {
      const attached = stack.ofType(policy).filter(({ properties }) => properties.Roles.includes(name))
      const documents = [...properties.Policies, ...attached.map(({ properties }) => properties)]
      const statements = documents.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      return [arn, { Version: '2012-10-17', Statement: statements }]
    }),
  )

/**
 * The function behind the HTTP API. Undefined when the stack has no API.
 *
 * The function does the routing, so all routes must lead to one function.
 */
export const apiFunctionArn = (stack: Stack): string | undefined => {
  const [api, ...others] = stack.ofType(httpApi)
  if (!api) return undefined
  if (others.length > 0)
    throw unsupported(`${others[0]?.logicalId} (${httpApi.type})`, 'only one HTTP API is served')
  const routes = stack.ofType(httpApiRoute)
  const targets = new Set(routes.map(({ properties }) => properties.Target))
  const [target] = targets
  const integration = stack.ofType(httpApiIntegration).find(({ ref }) => target === `integrations/${ref}`)
  if (targets.size !== 1 || !integration)
    throw unsupported(`${api.logicalId} (${httpApi.type})`, 'all its routes must lead to one function')
  if (stack.ofType(httpApiStage).length !== 1)
    throw unsupported(`${api.logicalId} (${httpApi.type})`, 'one stage, $default, is expected')
  return integration.properties.IntegrationUri
}

/** The state machines of the stack, their definitions checked. */
export const stateMachines = (stack: Stack): StateMachine[] =>
  stack.ofType(stateMachine).map(({ arn, name, logicalId, properties }) => ({
    arn,
    name,
    definition: readDefinition(
      properties.DefinitionString,
      `${logicalId} (${stateMachine.type})`,
      isKnownTask,
    ),
    roleArn: properties.RoleArn,
  }))
