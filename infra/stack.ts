import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { AlarmTopic } from './alarm-topic.ts'
import type { FunctionBundles } from './bundle.ts'
import { ExportFlow } from './export-flow.ts'
import { ExtractFlow } from './extract-flow.ts'
import { ExtractSchedules } from './extract-schedules.ts'
import { ImportFlow } from './import-flow.ts'
import { PollJobFunction } from './job-polling.ts'
import { allowRedrive } from './kept-dead-letters.ts'
import type { StackConfig } from './stack-config.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'
import { StorageService } from './storage-service.ts'

interface MillraceStackProps extends StackProps {
  readonly bundles: FunctionBundles
  readonly config: StackConfig
}

/** The whole system; with `storageUrl` only the functions around an existing storage service. */
export class MillraceStack extends Stack {
  constructor(scope: Construct, id: string, { bundles, config, ...props }: MillraceStackProps) {
    super(scope, id, props)
    const alarms = new AlarmTopic(this, 'Alarms')
    if (config.alarmEmail) alarms.addSubscription(new EmailSubscription(config.alarmEmail))

    const storage = this.storageEndpoint(bundles, config, alarms)
    const pollJob = new PollJobFunction(this, 'PollJob', { bundle: bundles['poll-job'], storage })
    const importFlow = new ImportFlow(this, 'Import', {
      bundle: bundles['start-import'],
      storage,
      pollJob,
      landingRules: config.landingRules,
      landingKeyArns: config.landingKeyArns,
      alarms,
    })
    const extractFlow = new ExtractFlow(this, 'Extract', {
      bundle: bundles['run-extractor'],
      storage,
      projectId: config.projectId,
      legSeconds: config.extractorLegSeconds,
      allowedHosts: config.extractorAllowedHosts,
      alarms,
    })
    const exportFlow = new ExportFlow(this, 'Export', {
      bundle: bundles['merge-slices'],
      storage,
      pollJob,
      otherBuckets: config.exportBuckets,
      alarms,
    })

    new ExtractSchedules(this, 'ExtractSchedules', {
      bundle: bundles['start-scheduled-runs'],
      storage,
      machine: extractFlow.machine,
      deadLetters: extractFlow.deadLetters.queue,
      schedules: config.schedules,
      components: config.scheduledComponents,
      alarms,
    })

    const machines = [importFlow.machine, exportFlow.machine, extractFlow.machine]
    if (storage.storageApi) allowRedrive(this, { storageApi: storage.storageApi, machines })

    this.output('ApiUrl', storage.url)
    this.output('StorageTokenSecret', storage.tokenSecret.secretArn)
    this.output('LandingBucket', importFlow.landingBucket.bucketName)
    this.output('ExportsBucket', exportFlow.exportsBucket.bucketName)
    this.output('ImportMachineArn', importFlow.machine.stateMachineArn)
    this.output('ExportMachineArn', exportFlow.machine.stateMachineArn)
    this.output('ExportDeadLetters', exportFlow.deadLetters.queue.queueUrl)
    this.output('ExtractMachineArn', extractFlow.machine.stateMachineArn)
    this.output('ExtractDeadLetters', extractFlow.deadLetters.queue.queueUrl)
    this.output('ImportDeadLetters', importFlow.deadLetters.queue.queueUrl)
  }

  private storageEndpoint(bundles: FunctionBundles, config: StackConfig, alarms: Topic): StorageEndpoint {
    const { storageUrl, storageTokenSecret, projectId, snapshotRetentionDays } = config
    const { distributed, queryScanBytes, queryTimeoutSeconds } = config
    if (storageUrl && storageTokenSecret) {
      return {
        url: storageUrl,
        tokenSecret: Secret.fromSecretNameV2(this, 'StorageToken', storageTokenSecret),
      }
    }
    const service = new StorageService(this, 'Storage', {
      bundles,
      projectId,
      snapshotRetentionDays,
      queries: distributed ? { queryScanBytes, queryTimeoutSeconds } : undefined,
      allowedHosts: config.extractorAllowedHosts,
      largeLoads: config,
      alarms,
    })
    this.output('FilesBucket', service.filesBucket.bucketName)
    this.output('JobMachineArn', service.jobMachine.stateMachineArn)
    return service
  }

  private output(name: string, value: string): void {
    new CfnOutput(this, name, { value })
  }
}
