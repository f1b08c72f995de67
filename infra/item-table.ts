import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { DeployedStack } from './deployment.ts'

interface ItemTableProps {
  readonly partitionKey: string
  readonly sortKey?: string
  /** Attribute with the expiry of an item: Unix time in seconds. */
  readonly expiryAttribute?: string
}

const text = (name: string) => ({ name, type: AttributeType.STRING })

/**
 * A DynamoDB table with our defaults: paid by request, encrypted, point-in-time recovery, and kept when the stack goes,
 * unless its configuration says otherwise.
 *
 * Without deletion protection, which would make the roll-back of a failed first deployment fail. A table that somebody
 * deletes by hand can be restored for 35 days (DynamoDB Developer Guide, "Point-in-time backups").
 */
export class ItemTable extends Table {
  constructor(scope: Construct, id: string, { partitionKey, sortKey, expiryAttribute }: ItemTableProps) {
    const { dataKey, dataRemovalPolicy } = DeployedStack.of(scope)
    super(scope, id, {
      partitionKey: text(partitionKey),
      ...(sortKey === undefined ? {} : { sortKey: text(sortKey) }),
      ...(expiryAttribute === undefined ? {} : { timeToLiveAttribute: expiryAttribute }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(dataKey === undefined
        ? { encryption: TableEncryption.AWS_MANAGED }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: dataKey }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: dataRemovalPolicy,
    })
  }
}
