import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { DeployedStack } from './deployment.ts'

/** A log group with our defaults: kept as long as the stack's configuration says, and gone with the stack. */
export class KeptLogs extends LogGroup {
  constructor(scope: Construct, id: string, { logGroupName }: { readonly logGroupName?: string } = {}) {
    super(scope, id, {
      ...(logGroupName === undefined ? {} : { logGroupName }),
      retention: DeployedStack.of(scope).logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    })
  }
}
