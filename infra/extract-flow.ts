import { Duration } from 'aws-cdk-lib'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { LEASES_PREFIX, NO_KEY_OF_OURS } from '../functions/run-extractor/names.ts'
import type { RunExtractorEnv } from '../functions/run-extractor/work.ts'
import { allow, allowPuttingObjects, allowReadingObjects, allowReadingSecret } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { drive } from './drive.ts'
import { executionsOf, machineIdentity } from './machine-identity.ts'
import { NodeFunction } from './node-function.ts'
import { PrivateBucket } from './private-bucket.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'

interface ExtractFlowProps {
  readonly bundle: FunctionBundle
  readonly storage: StorageEndpoint
  readonly projectId: string
  /** Seconds after which a leg stops at the next page. */
  readonly legSeconds: number
  /** Hosts that may be reached although they are not on the public internet. */
  readonly allowedHosts: readonly string[]
}

/** Longer than any run, and long enough to look into a run of last week. */
const RUNS_KEPT = Duration.days(14)

/** Runs stored configurations of the extractor: the state machine, its function, and the work bucket. */
export class ExtractFlow extends Construct {
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, props: ExtractFlowProps) {
    super(scope, id)
    const work = new PrivateBucket(this, 'Work', {
      traits: 'work',
      lifecycleRules: [{ prefix: 'runs/', expiration: RUNS_KEPT }],
    })
    const runExtractor = runExtractorFunction(this, props, work)
    this.machine = drive(this, {
      name: 'extract',
      machineName: machineIdentity('extract').name,
      step: runExtractor,
    })
  }
}

const runExtractorFunction = (
  scope: Construct,
  { bundle, storage, projectId, legSeconds, allowedHosts }: ExtractFlowProps,
  work: PrivateBucket,
) => {
  const { secretsKey: key } = storage
  const runExtractor = new NodeFunction<RunExtractorEnv>(scope, 'RunExtractor', {
    bundle,
    description: 'Takes the run of an extractor’s configuration a step further',
    environment: {
      STORAGE_URL: storage.url,
      STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn,
      WORK_BUCKET: work.bucketName,
      PROJECT_ID: projectId,
      SECRETS_KEY_ARN: key?.keyArn ?? NO_KEY_OF_OURS,
      LEG_SECONDS: String(legSeconds),
      ALLOWED_HOSTS: JSON.stringify(allowedHosts),
    },
  })
  allowReadingSecret(runExtractor, storage.tokenSecret)
  if (key) allow(runExtractor, ['kms:Decrypt'], [key.keyArn])
  allowReadingObjects(runExtractor, work)
  allowPuttingObjects(runExtractor, work, { prefix: 'runs/' })
  allowPuttingObjects(runExtractor, work, { prefix: LEASES_PREFIX })
  allow(runExtractor, ['states:DescribeExecution'], [executionsOf(machineIdentity('extract').name)])
  return runExtractor
}
