import { setTimeout as pause } from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { StepFailure } from './book.ts'
import type { CloudProcess } from './cloud-process.ts'

/** Longer than any request takes on a busy machine. */
const longestRequestMs = 60_000
/** A write that is not acknowledged after so long, through all kills and starts, is lost for its client. */
const longestWriteMs = 240_000

export interface ApiReply {
  readonly status: number
  // Replies are read freely; what is wrong in them shows when they are compared.
  // biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the step expects
  readonly body: any
  /** Path of the next part of a list. */
  readonly next?: string | undefined
}

export interface ApiCall {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** One request to the storage API. Rejects when there is no whole reply. */
export const callApi = async (
  { api, token }: CloudFacts,
  { method = 'GET', path, body, idempotencyKey }: ApiCall,
): Promise<ApiReply> => {
  const response = await fetch(`${api}/v2/storage/${path}`, {
    method,
    headers: {
      'X-StorageApi-Token': token ?? '',
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(longestRequestMs),
  })
  const text = await response.text()
  const next = /\/v2\/storage\/([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), next }
}

/** Without retries of its own: the soak counts attempts. */
export const s3Of = ({ s3, region, accessKeyId, secretAccessKey }: CloudFacts): S3Client =>
  new S3Client({
    endpoint: s3,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
  })

/** The reply may come another time; the request was not wrong. */
export class NotAcknowledged extends Error {
  override readonly name = 'NotAcknowledged'
}

/** Passes a reply of the wanted status; one that asks to try again, or a fault, counts as no acknowledgement. */
export const acknowledged = (reply: ApiReply, wanted: readonly number[]): ApiReply => {
  const { status, body } = reply
  if (wanted.includes(status)) return reply
  // 500 while the process stops is no promise broken: the write is open. One that stays fails by its limit.
  if (status >= 500 || status === 429 || status === 409)
    throw new NotAcknowledged(`${status} ${JSON.stringify(body)}`)
  throw new StepFailure(`was answered ${status} ${JSON.stringify(body).slice(0, 500)}`)
}

/** Tries until it is acknowledged, through kills and starts. `attempt` is given the number of the try. */
export const untilAcknowledged = async <Result>(
  cloud: CloudProcess,
  attempt: (facts: CloudFacts, number: number) => Promise<Result>,
): Promise<Result> => {
  const deadline = Date.now() + longestWriteMs
  for (let number = 1; ; number++) {
    const facts = await cloud.up()
    try {
      return await attempt(facts, number)
    } catch (error) {
      if (error instanceof StepFailure) throw error
      if (Date.now() > deadline)
        throw new StepFailure(`was not acknowledged in ${longestWriteMs / 1000} s: ${String(error)}`)
      await pause(100)
    }
  }
}

/** One try; that it is not acknowledged is its own business. */
export const once = async (
  cloud: CloudProcess,
  attempt: (facts: CloudFacts, number: number) => Promise<unknown>,
): Promise<void> => {
  try {
    await attempt(await cloud.up(), 1)
  } catch (error) {
    if (error instanceof StepFailure) throw error
  }
}
