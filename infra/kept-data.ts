import { Aws, Duration } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { DeployedStack } from './deployment.ts'
import { ItemTable } from './item-table.ts'
import { PrivateBucket } from './private-bucket.ts'
import type { StackConfig } from './stack-config.ts'
import { notesOfOldSweeps } from './storage-sweep.ts'

/** For how long what was deleted stays, and copies of AWS Backup; 0: neither. */
export type Keeps = Pick<StackConfig, 'tableVersionDays' | 'backupRetentionDays'>

interface KeptData {
  readonly items: ItemTable
  readonly tables: PrivateBucket
}

/** What the storage service cannot make again: its items, and the bucket of its tables. */
export const keptData = (scope: Construct, { tableVersionDays, backupRetentionDays }: Keeps): KeptData => {
  const items = new ItemTable(scope, 'Items', {
    partitionKey: 'pk',
    sortKey: 'sk',
    expiryAttribute: 'expiresAt',
  })
  const tables = new PrivateBucket(scope, 'Tables', {
    versionDays: tableVersionDays,
    lifecycleRules: [notesOfOldSweeps],
  })
  if (backupRetentionDays > 0) backUp(scope, { items, tables }, backupRetentionDays)
  return { items, tables }
}

/** Policies of AWS Backup for its own role: it follows its service (Developer Guide, "Managed policies for AWS Backup"). */
const POLICIES = ['service-role/AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForS3Backup']

/** Copies that outlive the stack's own: each day one of the items and one of the tables, in a vault of the stack. */
const backUp = (scope: Construct, { items, tables }: KeptData, retentionDays: number): void => {
  const { dataKey, dataRemovalPolicy } = DeployedStack.of(scope)
  const vault = new BackupVault(scope, 'BackupVault', {
    // Names of vaults are those of an account and region, and CDK would give environments the same.
    backupVaultName: Aws.STACK_NAME,
    removalPolicy: dataRemovalPolicy,
    ...(dataKey && { encryptionKey: dataKey }),
  })
  const plan = new BackupPlan(scope, 'BackupPlan', { backupPlanName: Aws.STACK_NAME, backupVault: vault })
  plan.addRule(new BackupPlanRule({ ruleName: 'daily', deleteAfter: Duration.days(retentionDays) }))
  plan.addSelection('Data', {
    role: new Role(scope, 'BackupRole', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: POLICIES.map(name => ManagedPolicy.fromAwsManagedPolicyName(name)),
    }),
    disableDefaultBackupPolicy: true,
    resources: [BackupResource.fromDynamoDbTable(items), BackupResource.fromArn(tables.bucketArn)],
  })
}
