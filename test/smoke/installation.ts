import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findStorage } from '../../cli/connect/find-storage.ts'
import { describeStack } from '../../cli/connect/installation.ts'
import { type Control, controlOf } from '../../local/runtime/control.ts'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { findRunningCloud, type RunningCloud } from '../../local/runtime/running-cloud.ts'
import { CloudProcess } from '../soak/cloud-process.ts'

/** Where a service is, and what the smoke test may reach beside its API. */
export interface Installation {
  readonly url: string
  token: string
  /** Buckets and machines. Undefined: only address and token were given. */
  readonly account: Account | undefined
  /** Whether it reaches an API that this process serves. */
  readonly isLocal: boolean
  /** Bytes of a load that outgrows one function. Undefined: too many to send unasked. */
  readonly largeBytes: number | undefined
  readonly close: () => Promise<void>
}

/** One that was started for this, in a folder of its own. */
export interface StartedInstallation extends Installation {
  readonly folder: string
  readonly tls: CloudFacts['tls']
}

export interface Account {
  readonly outputs: Readonly<Record<string, string>>
  /** Options of clients of S3. */
  readonly s3: Readonly<Record<string, unknown>>
  /** How its owner asks it on one machine. */
  readonly control: Control | undefined
  /** CloudFormation stack; undefined on one machine. */
  readonly stack: string | undefined
  /** Environment in which the commands of `millrace` find it, and the options that name it. */
  readonly environment: Readonly<Record<string, string>>
  readonly flags: readonly string[]
}

const isLoopback = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

const localAccount = (cloud: RunningCloud, dataDir: string): Account => {
  const { region, accessKeyId, secretAccessKey, s3, outputs } = cloud
  const credentials = { accessKeyId, secretAccessKey }
  return {
    outputs,
    s3: { endpoint: s3, region, credentials, forcePathStyle: true },
    control: controlOf(cloud),
    stack: undefined,
    environment: {
      MILLRACE_DATA_DIR: dataDir,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT_URL_S3: s3,
    },
    flags: [],
  }
}

/** A service by address and token; with its data directory, when it runs on this machine, whatever it holds. */
export const installationAt = async (
  url: string,
  token: string,
  largeBytes: number | undefined,
): Promise<Installation> => {
  const dataDir = process.env['MILLRACE_DATA_DIR'] ?? '.millrace'
  const cloud = await findRunningCloud(dataDir)
  const isOurs = cloud !== undefined && new URL(cloud.api).port === new URL(url).port && isLoopback(url)
  return {
    url,
    token,
    account: isOurs ? localAccount(cloud, dataDir) : undefined,
    isLocal: isLoopback(url),
    largeBytes,
    close: async () => {},
  }
}

export const installationOfStack = async (
  stack: string,
  largeBytes: number | undefined,
): Promise<Installation> => {
  const { url, token } = await findStorage({ stack }, { environment: {}, workingFolder: process.cwd() })
  const outputs = await describeStack(stack)
  const account = { outputs, s3: {}, control: undefined, stack, environment: {}, flags: ['--stack', stack] }
  return { url, token, account, isLocal: false, largeBytes, close: async () => {} }
}

const KiB = 1024
/** The smallest sizes at which a load of `LARGE_BYTES` takes every way of large ones. */
const smallSizes = { singleLoadBytes: 512 * KiB, loadRangeBytes: 256 * KiB }
/** As in an account, where they are kept by default. */
const tableVersionDays = 7
const LARGE_BYTES = 1024 * KiB

/** `npm start` in a process and a folder of its own, which go with it. */
export const startedInstallation = async ({
  largeBytes = LARGE_BYTES,
  tlsName,
  context = {},
}: {
  largeBytes?: number | undefined
  /** With TLS, too, under this name. */
  tlsName?: string
  /** Settings of its stack beside those of this test. */
  context?: Readonly<Record<string, unknown>>
} = {}): Promise<StartedInstallation> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-smoke-'))
  const dataDir = join(folder, 'data')
  const logFile = join(folder, 'cloud.log')
  const cloud = new CloudProcess({
    dataDir,
    durability: 'relaxed',
    logFile,
    environment: {
      MILLRACE_CONTEXT: JSON.stringify({ sizes: smallSizes, tableVersionDays, ...context }),
      ...(tlsName && { MILLRACE_TLS: `${tlsName}:0` }),
    },
  })
  await cloud.start()
  const { api, token = '', tls } = await cloud.up()
  const running = await findRunningCloud(dataDir)
  return {
    url: api,
    token,
    account: running && localAccount(running, dataDir),
    isLocal: true,
    largeBytes,
    folder,
    tls,
    close: async () => {
      await cloud.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
