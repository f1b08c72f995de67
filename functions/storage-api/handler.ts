import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger } from '@aws-lambda-powertools/logger'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SFNClient } from '@aws-sdk/client-sfn'
import { STSClient } from '@aws-sdk/client-sts'
import packageJson from '../../package.json' with { type: 'json' }
import { readEnv } from '../lib/env.ts'
import { lambdaHandler } from '../lib/lambda-handler.ts'
import { createS3Client } from '../lib/s3-client.ts'
import { createSealer } from '../lib/secrets/create-sealer.ts'
import { createJobStarter } from '../lib/storage-store/job-starter.ts'
import { createLazyTableEngine } from '../lib/storage-store/lazy-table-engine.ts'
import { openStorageStores } from '../lib/storage-store/open-storage-stores.ts'
import { parseProjectId } from '../lib/storage-store/project-id.ts'
import { fetchStorageToken } from '../lib/storage-token.ts'
import { type App, createApp } from './app.ts'
import { readCatalogue } from './catalogue/read-catalogue.ts'
import { storageApiEnvNames } from './env-names.ts'
import { createFileAccess } from './files/file-access.ts'
import { answerGatewayEvent, gatewayEvent } from './gateway.ts'
import { createAuthenticate } from './wire/authenticate.ts'
import { errorReply } from './wire/error-reply.ts'

const env = readEnv(storageApiEnvNames)
const region = process.env['AWS_REGION'] ?? 'us-east-1'
const log = new Logger({ serviceName: 'storage-api' })
const now = () => new Date()
const s3 = createS3Client()
const secrets = new SecretsManagerClient({})

const services = {
  ...openStorageStores(env, s3, now),
  projectId: parseProjectId(env.PROJECT_ID),
  region,
  revision: packageJson.version,
  now,
  fileAccess: createFileAccess({
    s3,
    sts: new STSClient({}),
    bucket: env.FILES_BUCKET,
    region,
    roleArn: env.FILE_ACCESS_ROLE_ARN,
  }),
  startJob: createJobStarter(new SFNClient({}), env.JOB_MACHINE_ARN),
  jobWait: { limitMs: 1_000, intervalMs: 50, sleep: (milliseconds: number) => sleep(milliseconds) },
  tableEngine: createLazyTableEngine(s3, env.TABLES_BUCKET),
  components: readCatalogue(join(import.meta.dirname, 'components')),
  seal: createSealer({ keyArn: env.SECRETS_KEY_ARN }),
  log,
}

let ready: Promise<App> | undefined

/** Made with the first request: the token is read from its secret then, and again when that failed. */
const getApp = (): Promise<App> => {
  ready ??= fetchStorageToken(secrets, env.STORAGE_TOKEN_SECRET_ARN).then(token =>
    createApp({ ...services, authenticate: createAuthenticate(token, services) }),
  )
  ready.catch(() => {
    ready = undefined
  })
  return ready
}

/** The storage service for a server that streams: the one-machine cloud serves it over node:http. */
export const app: App = {
  fetch: async request => {
    try {
      return await (await getApp()).fetch(request)
    } catch (error) {
      return errorReply(error, log)
    }
  },
}

/** The storage service behind API Gateway. */
export const handler = lambdaHandler({
  service: 'storage-api',
  event: gatewayEvent,
  run: event => answerGatewayEvent(app, event),
})
