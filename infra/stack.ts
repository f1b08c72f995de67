import { Aws, CfnOutput } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import type { PollJobEnv } from '../functions/poll-job/handler.ts'
import { allowReadingSecret } from './allow.ts'
import { allowApart } from './allow-apart.ts'
import type { FunctionBundles } from './bundle.ts'
import { addDashboard } from './dashboard.ts'
import { DeployedStack } from './deployment.ts'
import { ExportFlow } from './export-flow.ts'
import { ExtractFlow } from './extract-flow.ts'
import type { ApiDomainProps } from './http-api.ts'
import { ImportFlow } from './import-flow.ts'
import { NodeFunction } from './node-function.ts'
import { addSharedAlarms } from './shared-alarms.ts'
import type { StackConfig } from './stack-config.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'
import { StorageService } from './storage-service.ts'
import { Tick } from './tick.ts'
import { undeliveredEvents } from './undelivered.ts'

interface MillraceStackProps {
  readonly bundles: FunctionBundles
  readonly config: StackConfig
  readonly description?: string
}

/** The whole system, or the functions around a storage service elsewhere. */
export class MillraceStack extends DeployedStack {
  constructor(scope: Construct, id: string, { bundles, config, ...props }: MillraceStackProps) {
    const { environment } = config
    super(scope, id, {
      ...props,
      analyticsReporting: false,
      // The same construct in each environment, so that logical ids are the same.
      ...(environment === undefined ? {} : { stackName: `${id}-${environment}` }),
      deployment: config,
    })
    const alarms = new AlarmTopic(this, 'Alarms')
    if (config.alarmEmail) alarms.addSubscription(new EmailSubscription(config.alarmEmail))

    const storage = this.storageEndpoint(bundles, config, alarms)
    this.output('ApiUrl', storage.url)
    this.output('StorageTokenSecret', storage.tokenSecret.secretArn)
    const undelivered = undeliveredEvents(this, alarms)
    const service = storage instanceof StorageService ? storage : undefined
    const machines = {
      ...(service && { jobs: service.jobMachine }),
      ...this.functionsAround(storage, bundles, config, undelivered),
    }
    new Tick(this, 'Tick', {
      bundle: bundles.tick,
      schedules: config.schedules,
      storage,
      service,
      machines,
      undelivered,
      alarms,
    })
    addSharedAlarms(this, config.shape, alarms)
    addDashboard(this, config.shape)
  }

  private functionsAround(
    storage: StorageEndpoint,
    bundles: FunctionBundles,
    config: StackConfig,
    undelivered: IQueue,
  ): Record<'import' | 'export' | 'extract', StateMachine> {
    // All machines that wait for jobs share it.
    const pollJob = new NodeFunction<PollJobEnv>(this, 'PollJob', {
      bundle: bundles['poll-job'],
      description: 'Reads a job of the storage service once and says how long to wait',
      environment: { STORAGE_URL: storage.url, STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn },
    })
    allowReadingSecret(pollJob, storage.tokenSecret)
    const importFlow = new ImportFlow(this, 'Import', {
      bundle: bundles['start-import'],
      storage,
      pollJob,
      landingRules: config.landingRules,
      landingKeyArns: config.landingKeyArns,
      undelivered,
    })
    const extractFlow = new ExtractFlow(this, 'Extract', {
      bundle: bundles['run-extractor'],
      storage,
      projectId: config.projectId,
      legSeconds: config.sizes.legSeconds,
      allowedHosts: config.extractorAllowedHosts,
    })
    const exportFlow = new ExportFlow(this, 'Export', {
      bundle: bundles['merge-slices'],
      storage,
      pollJob,
      otherBuckets: config.exportBuckets,
    })

    const { machine: extract } = extractFlow
    const machines = { import: importFlow.machine, export: exportFlow.machine, extract }
    // The storage API starts failed executions again.
    allowApart(this, 'AllowRedrive', storage.storageApi?.role, [
      {
        actions: ['states:StartExecution'],
        resources: Object.values(machines).map(({ stateMachineArn }) => stateMachineArn),
      },
    ])

    this.output('LandingBucket', importFlow.landingBucket.bucketName)
    this.output('ExportsBucket', exportFlow.exportsBucket.bucketName)
    this.output('ImportMachineArn', importFlow.machine.stateMachineArn)
    this.output('ExportMachineArn', exportFlow.machine.stateMachineArn)
    this.output('ExtractMachineArn', extractFlow.machine.stateMachineArn)
    return machines
  }

  private storageEndpoint(bundles: FunctionBundles, config: StackConfig, alarms: Topic): StorageEndpoint {
    const { storageUrl, storageTokenSecret, projectId, snapshotRetentionDays } = config
    if (storageUrl && storageTokenSecret) {
      return {
        url: storageUrl,
        tokenSecret: Secret.fromSecretNameV2(this, 'StorageToken', storageTokenSecret),
      }
    }
    const service = new StorageService(this, 'Storage', {
      bundles,
      projectId,
      dialect: config,
      snapshotRetentionDays,
      tableVersionDays: config.tableVersionDays,
      allowedHosts: config.extractorAllowedHosts,
      sizes: config.sizes,
      domain: domainOf(config),
      alarms,
    })
    this.output('FilesBucket', service.filesBucket.bucketName)
    // Of docs/restore.ts.
    this.output('TablesBucket', service.tablesBucket.bucketName)
    this.output('ItemTable', service.items.tableName)
    this.output('JobMachineArn', service.jobMachine.stateMachineArn)
    return service
  }

  private output(name: string, value: string): void {
    new CfnOutput(this, name, { value })
  }
}

const domainOf = ({
  apiDomainName: domainName,
  apiCertificateArn: certificateArn,
}: StackConfig): ApiDomainProps | undefined =>
  domainName === undefined || certificateArn === undefined ? undefined : { domainName, certificateArn }

/** Where alarms go: over TLS only, from the alarms of this account. */
class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string) {
    super(scope, id, { enforceSSL: true })
    // A topic with a policy of its own has no other: without this statement, nobody may publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
  }
}
