import type { Api } from '../../config/api-schema.ts'

/** What is retried, how often and how long (docs/reference/extractor-requests.md#retries-and-errors). */
export interface RetrySettings {
  maxRetries: number
  retryHeader: string
  statuses: ReadonlySet<number>
  /** Network failures by curl's numbers, which is how configurations name them. */
  curlCodes: ReadonlySet<number>
  /** All waiting for one request together may take this long. */
  maxTotalSeconds: number
}

const defaultStatuses = [500, 502, 503, 504, 408, 420, 429]
// 28 time-out, 6 DNS, 7 connect, 35 TLS connect, 52 empty reply, 56 receive; 18 (cut short) is ours
const defaultCurlCodes = [28, 6, 7, 35, 52, 56, 18]

export const retrySettings = (config: Api['retryConfig']): RetrySettings => ({
  maxRetries: config?.maxRetries ?? 10,
  retryHeader: config?.http?.retryHeader ?? config?.headerName ?? 'Retry-After',
  statuses: new Set(config?.http?.codes ?? config?.httpCodes ?? defaultStatuses),
  curlCodes: new Set(config?.curl?.codes ?? config?.curlCodes ?? defaultCurlCodes),
  maxTotalSeconds: config?.maxTotalSeconds ?? 3600,
})
