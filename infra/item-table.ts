import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'

export interface ItemTableProps {
  readonly partitionKey: string
  readonly sortKey?: string
  /** Attribute with the Unix time, in seconds, after which an item may go. */
  readonly expiryAttribute?: string
}

const text = (name: string) => ({ name, type: AttributeType.STRING })

/** A DynamoDB table as we want them: paid by request, encrypted, restorable to any second, kept when the stack goes. */
export class ItemTable extends Table {
  constructor(scope: Construct, id: string, { partitionKey, sortKey, expiryAttribute }: ItemTableProps) {
    super(scope, id, {
      partitionKey: text(partitionKey),
      ...(sortKey === undefined ? {} : { sortKey: text(sortKey) }),
      ...(expiryAttribute === undefined ? {} : { timeToLiveAttribute: expiryAttribute }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }
}
