import { Stack } from 'aws-cdk-lib'
import { CfnApplication } from 'aws-cdk-lib/aws-emrserverless'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { allow, allowDeletingObjects, allowReadingObjects, allowWritingObjects } from './allow.ts'
import { type NodeFunction, ServiceRole } from './node-function.ts'

/** With Spark 3.5.6 and Iceberg 1.10.0. */
const RELEASE = 'emr-7.13.0'

/** Some 20 executors side by side. What more asks for, waits. */
const MOST = { cpu: '96 vCPU', memory: '384 GB', disk: '4000 GB' }

const IDLE_MINUTES = 5

/**
 * Spark for loads by primary key that outgrow one function. It starts with a run, stops when nothing runs, and costs nothing at
 * rest. It sees the bucket of tables alone: a run has even less, by the policy that it is started with.
 */
export class MergeApplication extends Construct {
  readonly #application: CfnApplication
  readonly #role: ServiceRole

  constructor(scope: Construct, id: string, tables: IBucket) {
    super(scope, id)
    this.#application = new CfnApplication(this, 'Application', {
      type: 'SPARK',
      releaseLabel: RELEASE,
      architecture: 'ARM64',
      autoStartConfiguration: { enabled: true },
      autoStopConfiguration: { enabled: true, idleTimeoutMinutes: IDLE_MINUTES },
      maximumCapacity: MOST,
    })
    this.#role = new ServiceRole(this, 'Role', 'emr-serverless.amazonaws.com', {
      ArnLike: { 'aws:SourceArn': this.#application.attrArn },
    })
    allowReadingObjects(this.#role, tables)
    allowWritingObjects(this.#role, tables, { prefix: 'tables/' })
    allowDeletingObjects(this.#role, tables, { prefix: 'tables/' })
  }

  /** Variable `MERGE_APPLICATION`. */
  get name(): string {
    return Stack.of(this).toJsonString({
      applicationId: this.#application.attrApplicationId,
      roleArn: this.#role.roleArn,
    })
  }

  /** To start runs, and to see and stop them. */
  allowRuns(grantee: NodeFunction<string>): void {
    const application = this.#application.attrArn
    allow(grantee, ['emr-serverless:StartJobRun'], [application])
    allow(grantee, ['emr-serverless:GetJobRun', 'emr-serverless:CancelJobRun'], [`${application}/*`])
    allow(grantee, ['iam:PassRole'], [this.#role.roleArn], {
      StringEquals: { 'iam:PassedToService': 'emr-serverless.amazonaws.com' },
    })
  }
}
