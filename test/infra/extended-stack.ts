import { Duration, Tags } from 'aws-cdk-lib'
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import {
  ManagedPolicy,
  PermissionsBoundary,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam'
import { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs'
import { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3'
import { CfnStateMachine, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { MillraceStack } from '../../infra/stack.ts'

/* The code of docs/extend.md, word for word: a test holds both against each other. */

export class BoundStack extends MillraceStack {
  constructor(...given: ConstructorParameters<typeof MillraceStack>) {
    super(...given)
    Tags.of(this).add('team', 'data')
    const boundary = 'arn:aws:iam::123456789012:policy/boundary'
    PermissionsBoundary.of(this).apply(ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', boundary))
    for (const node of this.node.findAll()) {
      if (node instanceof CfnLogGroup) node.retentionInDays = 365
      if (node instanceof CfnStage)
        node.defaultRouteSettings = { throttlingRateLimit: 50, throttlingBurstLimit: 80 }
      // Where the API has a name of yours: that of AWS answers nothing.
      if (node instanceof CfnApi) node.disableExecuteApiEndpoint = true
    }
  }
}

export class NetworkStack extends MillraceStack {
  constructor(...given: ConstructorParameters<typeof MillraceStack>) {
    super(...given)
    const network = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] }
    const rights = ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole')
    for (const node of this.node.findAll())
      if (node instanceof LambdaFunction && /\/(RunExtractor|PreviewExtraction)$/.test(node.node.path)) {
        node.role?.addManagedPolicy(rights)
        if (node.node.defaultChild instanceof CfnFunction) node.node.defaultChild.vpcConfig = network
      }
  }
}

export class AccessLogStack extends MillraceStack {
  constructor(...given: ConstructorParameters<typeof MillraceStack>) {
    super(...given)
    for (const bucket of this.node.findAll())
      if (bucket instanceof CfnBucket)
        bucket.loggingConfiguration = {
          destinationBucketName: 'access-logs-of-example',
          logFilePrefix: `${this.stackName}/${bucket.node.path}/`,
        }
  }
}

export class BackupStack extends MillraceStack {
  constructor(...given: ConstructorParameters<typeof MillraceStack>) {
    super(...given)
    const backupVault = new BackupVault(this, 'Vault', { backupVaultName: this.stackName })
    const plan = new BackupPlan(this, 'Backup', { backupPlanName: this.stackName, backupVault })
    plan.addRule(new BackupPlanRule({ ruleName: 'daily', deleteAfter: Duration.days(35) }))
    const storage = this.node.findChild('Storage')
    const tables = storage.node.findChild('Tables')
    if (!(tables instanceof Bucket)) throw new Error('The bucket of tables is elsewhere')
    const resources = [BackupResource.fromConstruct(storage), BackupResource.fromArn(tables.bucketArn)]
    const names = [
      'service-role/AWSBackupServiceRolePolicyForBackup',
      'AWSBackupServiceRolePolicyForS3Backup',
    ]
    const managedPolicies = names.map(name => ManagedPolicy.fromAwsManagedPolicyName(name))
    const assumedBy = new ServicePrincipal('backup.amazonaws.com')
    const role = new Role(this, 'BackupRole', { assumedBy, managedPolicies })
    plan.addSelection('Data', { resources, role, disableDefaultBackupPolicy: true })
  }
}

export class TracedStack extends MillraceStack {
  constructor(...given: ConstructorParameters<typeof MillraceStack>) {
    super(...given)
    const send = ['PutTraceSegments', 'PutTelemetryRecords', 'GetSamplingRules', 'GetSamplingTargets']
    const actions = send.map(name => `xray:${name}`)
    for (const node of this.node.findAll()) {
      if (node instanceof CfnFunction) node.tracingConfig = { mode: 'Active' }
      if (node instanceof CfnStateMachine) node.tracingConfiguration = { enabled: true }
      if (node instanceof LambdaFunction || node instanceof StateMachine)
        node.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: ['*'] }))
    }
  }
}
