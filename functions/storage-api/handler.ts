import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { keptUntilFailed } from '../lib/kept-until-failed.ts'
import { engineRoom, tablesScratch } from '../lib/storage/tables/lazy-table-engine.ts'
import { answerGatewayEvent, gatewayEvent } from './gateway.ts'
import type { App } from './routes/app.ts'

const openApp = keptUntilFailed(async (): Promise<App> => {
  const { open, variables } = await import('./open-app.ts')
  return open(readEnv(variables, process.env), {
    ...engineRoom(process.env),
    region: process.env['AWS_REGION'] ?? 'us-east-1',
  })
})

const storageApi: App = {
  fetch: async request => (await openApp()).fetch(request),
}

/** Answers events of the gateway, several at once: for the one-machine cloud, whose API is one process. */
export const answer = (event: unknown) => answerGatewayEvent(storageApi, gatewayEvent.parse(event))

/** The storage service behind API Gateway. */
export const handler = lambdaHandler({
  service: 'storage-api',
  event: gatewayEvent,
  scratchFolder: tablesScratch,
  open: async () => event => answerGatewayEvent(storageApi, event),
})
