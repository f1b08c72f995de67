import type { Services } from '../services/services.ts'
import { eventMaker } from './record-event.ts'
import type { Sender } from './route-definition.ts'

const HEADER = 'X-Millrace-Ignored-Parameters'
const MOST_NAMES = 20

/** What a job and an event say of parameters that nobody reads. */
export const passedOverSentence = (names: readonly string[]): string =>
  `Nobody reads these parameters, and they were passed over: ${names.slice(0, MOST_NAMES).join(', ')}.`

/** Says in a header which parameters of the request nobody reads, and in an event once a day and token. */
export const tellPassedOver = async (
  reply: Response,
  names: readonly string[],
  { sender, route, services }: { sender: Sender; route: string; services: Services },
): Promise<Response> => {
  const { caller } = sender
  reply.headers.set(HEADER, names.slice(0, MOST_NAMES).map(encodeURIComponent).join(', '))
  const day = services.now().toISOString().slice(0, 10)
  const request = { scope: `${caller.tokenId} ignored parameters`, key: day, request: day }
  const make = eventMaker(sender, services.now(), {
    event: 'storage.parametersIgnored',
    component: 'storage',
    type: 'warn',
    message: `${route}: ${passedOverSentence(names)} Others of today are said in the header ${HEADER} of each reply only.`,
    params: JSON.stringify({ route, parameters: names.slice(0, MOST_NAMES) }),
  })
  await services.events
    .create(services.nextId, make, { ...services, request })
    .catch((error: unknown) => services.log.error('event not stored', { names, error }))
  return reply
}
