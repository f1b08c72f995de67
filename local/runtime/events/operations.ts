import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { account, arn } from '../resources/resource-type.ts'
import type { EventRouter } from './event-router.ts'

const entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  Resources: z.array(z.string()).default([]),
  /** Seconds since 1970. */
  Time: z.number().optional(),
  EventBusName: z.enum(['default', arn('events', 'event-bus/default')]).optional(),
  TraceHeader: z.string().optional(),
})

/** PutEvents (AWS JSON 1.1) on the default bus. Entries are refused one by one, as EventBridge does. */
export const eventOperations = (router: EventRouter): Operations => ({
  'AWSEvents.PutEvents': operation({
    action: 'events:PutEvents',
    input: z.object({ Entries: z.array(entry).min(1).max(10) }),
    resource: () => arn('events', 'event-bus/default'),
    run: async ({ Entries }) => {
      const results = await Promise.all(Entries.map(item => put(router, item)))
      return { Entries: results, FailedEntryCount: results.filter(result => 'ErrorCode' in result).length }
    },
  }),
})

const put = async (
  router: EventRouter,
  { Source, DetailType, Detail, Resources, Time }: z.infer<typeof entry>,
) => {
  if (!Source || !DetailType || Detail === undefined)
    return refusal(
      'InvalidArgument',
      'Parameter Source, DetailType or Detail is not valid. Reason: it is missing.',
    )
  // Only AWS services may send their own events.
  if (Source.startsWith('aws.'))
    return refusal('NotAuthorizedForSourceException', `Not authorized for the source ${Source}.`)
  const detail = parseObject(Detail)
  if (!detail) return refusal('MalformedDetail', 'Detail is malformed.')

  const id = randomUUID()
  const time = Time === undefined ? new Date() : new Date(Time * 1000)
  try {
    await router.deliver({
      version: '0',
      id,
      'detail-type': DetailType,
      source: Source,
      account: account.id,
      time: `${time.toISOString().slice(0, 19)}Z`,
      region: account.region,
      resources: Resources,
      detail,
    })
  } catch (error) {
    return refusal('InternalFailure', String(error))
  }
  return { EventId: id }
}

const refusal = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage })

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
