import { Duration, Size, Stack, Token } from 'aws-cdk-lib'
import {
  type AddToPrincipalPolicyResult,
  type Conditions,
  type IRole,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { METRIC_NAMESPACE_VARIABLE } from '../functions/lib/cloud/metric-units.ts'
import type { FunctionBundle } from './bundle.ts'
import { DeployedStack } from './deployment.ts'
import { KeptLogs } from './kept-logs.ts'
import { sizeOf } from './system.ts'

export interface NodeFunctionProps<EnvName extends string> {
  readonly bundle: FunctionBundle
  readonly description: string
  /** One value for each name that the function reads. */
  readonly environment: Readonly<Record<EnvName, string>>
  /** Options of Node besides source maps. Default none. */
  readonly nodeFlags?: readonly string[]
  /** Default: a new role. */
  readonly role?: IRole
  /** Receives events that failed each time. Default: they are given up. */
  readonly deadLetterQueue?: IQueue
}

/** A function with our defaults: its bundle on Node 24, its own log group with a retention. */
export class NodeFunction<EnvName extends string> extends LambdaFunction {
  readonly memoryMiB: number

  constructor(scope: Construct, id: string, props: NodeFunctionProps<EnvName>) {
    const { bundle, environment, nodeFlags = [], ...rest } = props
    const { memoryMiB, scratchMiB = 512, seconds } = sizeOf(bundle.name)
    const kept = DeployedStack.of(scope).concurrency[bundle.name]
    const logGroup = new KeptLogs(scope, `${id}Logs`)
    const role = props.role ?? new ServiceRole(scope, `${id}Role`, 'lambda.amazonaws.com')
    logGroup.grantWrite(role)
    refuseLongEnvironment(id, environment)
    super(scope, id, {
      ...rest,
      runtime: Runtime.NODEJS_24_X,
      architecture: bundle.isNative ? Architecture.X86_64 : Architecture.ARM_64,
      code: Code.fromAsset(bundle.folder, { assetHash: bundle.contentHash }),
      handler: 'index.handler',
      memorySize: memoryMiB,
      timeout: Duration.seconds(seconds),
      ...(kept !== undefined && { reservedConcurrentExecutions: kept }),
      ephemeralStorageSize: Size.mebibytes(scratchMiB),
      logGroup,
      role,
      environment: {
        NODE_OPTIONS: ['--enable-source-maps', ...nodeFlags].join(' '),
        [METRIC_NAMESPACE_VARIABLE]: Stack.of(scope).stackName,
        ...environment,
      },
    })
    this.memoryMiB = memoryMiB
  }
}

/** Lambda quotas: all variables of a function, names and values. */
const LONGEST_ENVIRONMENT = 4096
/** What an ARN, a name or an address has that is known only in the account. */
const LENGTH_OF_REFERENCE = 150

/** CloudFormation would refuse it in the middle of a deployment. */
const refuseLongEnvironment = (id: string, environment: Readonly<Record<string, string>>): void => {
  const lengths = Object.entries(environment).map(([name, value]) => ({
    name,
    length: name.length + (Token.isUnresolved(value) ? LENGTH_OF_REFERENCE : Buffer.byteLength(value)),
  }))
  const total = lengths.reduce((sum, { length }) => sum + length, 0)
  if (total <= LONGEST_ENVIRONMENT) return
  const [longest] = lengths.toSorted((a, b) => b.length - a.length)
  throw new Error(
    `The environment of ${id} has ${total} bytes; Lambda allows ${LONGEST_ENVIRONMENT}. Most of them are ${longest?.name}.`,
  )
}

/**
 * A role for a function, with no rights yet. CDK's default adds a managed policy that may write to every log group
 * of the account. One whose own rights name what trusts it needs a policy beside it: then neither is made from the other.
 */
export const executionRole = (scope: Construct, id: string): Role =>
  new Role(scope, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })

/** What is allowed to it stands in the role itself. */
export class ServiceRole extends Role {
  readonly #rights: PolicyDocument

  /** @param conditions on which the service takes it, beside that it is for this account */
  constructor(scope: Construct, id: string, service: string, conditions: Conditions = {}) {
    const rights = new PolicyDocument()
    const assumedBy = new ServicePrincipal(service, { conditions })
    super(scope, id, { assumedBy, inlinePolicies: { Rights: rights } })
    this.#rights = rights
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement)
    return { statementAdded: true, policyDependable: this }
  }
}
