import { exchange } from '#lib/storage-client/exchange.ts'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'

/** Calls the storage API as any client does. Resolves to the reply's JSON. */
export const callApi = async (
  { api, token }: CloudFacts,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> => {
  const { status, text } = await exchange({
    url: `${api}/v2/storage/${path}`,
    method,
    headers: { 'X-StorageApi-Token': token ?? '', 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    timeoutSeconds: 60,
  })
  if (status >= 300 || text === undefined) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}
