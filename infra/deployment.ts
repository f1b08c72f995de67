import { Aspects, Aws, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { CfnRole } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { z } from 'zod'
import type { StackConfig } from './stack-config.ts'
import type { WorkSizes } from './work-sizes.ts'

type Deployment = Pick<StackConfig, 'environment' | 'removalPolicy' | 'dataKeyArn' | 'sizes'>

interface DeployedStackProps extends StackProps {
  readonly deployment: Deployment
}

/**
 * A stack with what concerns all of its resources alike. Like the region, constructs ask the stack for it
 * (`DeployedStack.of`): every construct would have to pass it on otherwise.
 */
export class DeployedStack extends Stack {
  /** Of data, and of what opens it. */
  readonly dataRemovalPolicy: RemovalPolicy
  /** The customer's key for data at rest. Undefined: keys of AWS. */
  readonly dataKey: IKey | undefined
  /** Of functions by their names: invocations at a time that are kept for them. */
  readonly concurrency: WorkSizes['concurrency']

  constructor(scope: Construct, id: string, { deployment, ...props }: DeployedStackProps) {
    super(scope, id, props)
    const { environment, removalPolicy, dataKeyArn, sizes } = deployment
    this.concurrency = sizes.concurrency
    // The first: a first deployment that fails leaves nothing behind.
    this.dataRemovalPolicy =
      removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY
    this.dataKey = dataKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'DataKey', dataKeyArn)
    if (environment !== undefined) nameInAlarms(this, environment)
    trustOwnAccount(this)
  }

  static override of(scope: Construct): DeployedStack {
    const stack = Stack.of(scope)
    if (!(stack instanceof DeployedStack)) throw new Error(`${stack.node.path} is no deployed stack`)
    return stack
  }
}

/**
 * Services take the roles for work of this account only: none is talked into it by another one (IAM User Guide, "The confused deputy problem").
 * Roles that CDK makes, too.
 */
const trustOwnAccount = (stack: Stack): void =>
  Aspects.of(stack).add({
    visit: node => {
      if (!(node instanceof CfnRole)) return
      const { Statement, ...document } = trustPolicy.parse(stack.resolve(node.assumeRolePolicyDocument))
      node.assumeRolePolicyDocument = {
        ...document,
        Statement: Statement.map(statement =>
          statement.Principal?.['Service'] === undefined
            ? statement
            : { ...statement, Condition: { ...statement.Condition, ...ofOwnAccount } },
        ),
      }
    },
  })

const ofOwnAccount = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } }

const named = z.record(z.string(), z.unknown()).optional()
const trustPolicy = z.looseObject({
  Statement: z.array(z.looseObject({ Principal: named, Condition: named })),
})

/** The mails of several environments come to one person. */
const nameInAlarms = (stack: Stack, environment: string): void =>
  Aspects.of(stack).add({
    visit: node => {
      if (node instanceof CfnAlarm)
        node.alarmDescription = `[${environment}] ${node.alarmDescription ?? ''}`.trim()
    },
  })
