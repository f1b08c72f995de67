import { account } from '../resources/resource-type.ts'
import type { ExpiringTable } from './expire-items.ts'

interface ItemExpiryOptions {
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly tables: readonly ExpiringTable[]
  readonly log: (message: string) => void
}

/** Not at the start, where the first file comes; soon enough for a process that runs for minutes a day. */
const FIRST_MS = 5 * 60_000
const EVERY_MS = 24 * 60 * 60_000
const PAUSE_MS = 50

/** Deletes expired items some minutes after the start and then each day, until it is closed. */
export const startItemExpiry = ({ endpoint, credentials, tables, log }: ItemExpiryOptions) => {
  const closing = new AbortController()
  const { signal } = closing
  const expire = async (): Promise<number> => {
    // Loaded here, where no start waits for it.
    const [{ DynamoDBClient }, { expireItems }] = await Promise.all([
      import('@aws-sdk/client-dynamodb'),
      import('./expire-items.ts'),
    ])
    // A copy: the client writes into the object that it is given.
    const client = new DynamoDBClient({ endpoint, region: account.region, credentials: { ...credentials } })
    try {
      return await expireItems(client, tables, { now: new Date(), pauseMs: PAUSE_MS, signal })
    } finally {
      client.destroy()
    }
  }
  const run = async (): Promise<void> => {
    try {
      const expired = await expire()
      if (expired > 0) log(`${expired} items whose time to live was over are deleted`)
    } catch (error) {
      if (!signal.aborted) log(`Expired items are not all deleted, tomorrow again: ${String(error)}`)
    }
  }
  let timer = setTimeout(function next() {
    void run()
    timer = setTimeout(next, EVERY_MS).unref()
  }, FIRST_MS).unref()

  return {
    close: (): void => {
      closing.abort()
      clearTimeout(timer)
    },
  }
}
