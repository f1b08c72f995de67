import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import type { App } from './app.ts'
import { answerGatewayEvent, gatewayEvent } from './gateway.ts'
import { throughGateway } from './through-gateway.ts'

const storageApi: App = {
  fetch: async request => (await import('./open-app.ts')).storageApi.fetch(request),
}

/** The storage service for node:http, which the one-machine cloud has in the place of the gateway. */
export const app = throughGateway(storageApi)

/** The storage service behind API Gateway. */
export const handler = lambdaHandler({
  service: 'storage-api',
  event: gatewayEvent,
  scratchFolder: tablesScratch,
  run: event => answerGatewayEvent(storageApi, event),
})
