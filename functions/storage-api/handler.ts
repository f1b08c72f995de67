import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { answerGatewayEvent, gatewayEvent } from './gateway.ts'
import type { App } from './routes/app.ts'

const storageApi: App = {
  fetch: async request => (await import('./open-app.ts')).storageApi.fetch(request),
}

/** Answers events of the gateway, several at once: for the one-machine cloud, whose API is one process. */
export const answer = (event: unknown) => answerGatewayEvent(storageApi, gatewayEvent.parse(event))

/** The storage service behind API Gateway. */
export const handler = lambdaHandler({
  service: 'storage-api',
  event: gatewayEvent,
  scratchFolder: tablesScratch,
  run: event => answerGatewayEvent(storageApi, event),
})
