import type { Construct } from 'constructs'
import type { PollJobEnv } from '../functions/poll-job/handler.ts'
import { allowReadingSecret } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { NodeFunction } from './node-function.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'

interface PollJobFunctionProps {
  readonly bundle: FunctionBundle
  readonly storage: StorageEndpoint
}

/** The function that reads a job once. All machines that wait for jobs share it. */
export class PollJobFunction extends NodeFunction<PollJobEnv> {
  constructor(scope: Construct, id: string, { bundle, storage }: PollJobFunctionProps) {
    super(scope, id, {
      bundle,
      description: 'Reads a job of the storage service once and says how long to wait',
      environment: { STORAGE_URL: storage.url, STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn },
    })
    allowReadingSecret(this, storage.tokenSecret)
  }
}
