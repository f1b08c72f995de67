import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

/** A log group with our defaults: kept long enough to look into an incident of last month, and gone with the stack. */
export class KeptLogs extends LogGroup {
  constructor(scope: Construct, id: string, { logGroupName }: { readonly logGroupName?: string } = {}) {
    super(scope, id, {
      ...(logGroupName === undefined ? {} : { logGroupName }),
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    })
  }
}
