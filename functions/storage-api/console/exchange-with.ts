import type { Exchange, Reply } from '../../lib/storage-client/exchange.ts'
import type { App } from '../routes/app.ts'

/** Sends requests to the app of this process, without the network. */
export const exchangeWith =
  (app: App) =>
  async ({ url, method, headers, body }: Exchange): Promise<Reply> => {
    const response = await app.fetch(new Request(url, { method, headers, body: body ?? null }))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    }
  }
