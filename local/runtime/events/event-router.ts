import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isOutOfSpace } from '#lib/errors/out-of-space.ts'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { isUnavailable } from '../control/service-error.ts'
import type { RuleProperties, RuleTarget } from '../resources/events.ts'
import { account, arn } from '../resources/resource-type.ts'
import { unsupported } from '../template/unsupported.ts'
import { compilePattern, type EventMatcher } from './event-pattern.ts'

/** Delivers one event's input to a rule's target; resolves when the target has accepted it for good. */
type Deliver = (
  target: RuleTarget,
  input: string,
  from: { readonly eventId: string; readonly ruleArn: string },
) => Promise<void>

interface EventRouterOptions {
  readonly rules: readonly { logicalId: string; arn: string; properties: RuleProperties }[]
  readonly deliver: Deliver
  /** Receives an event that a target has refused each time. */
  readonly deadLetter: (queueArn: string, event: unknown) => Promise<void>
  readonly isKnownTarget: (arn: string) => boolean
  readonly log: (message: string) => void
}

interface Route {
  readonly name: string
  readonly ruleArn: string
  readonly matches: EventMatcher
  readonly target: RuleTarget
  readonly input: TargetInput
}

/** The real service tries for a day. Here the target is in the same process: three attempts are enough. */
const mostAttempts = 3

/** The default event bus: sends each event to the targets of every rule that it matches. */
export class EventRouter {
  readonly #options: EventRouterOptions
  readonly #routes: readonly Route[]

  /** Refuses unknown operators, targets and paths when the stack is read. */
  constructor(options: EventRouterOptions) {
    this.#options = options
    this.#routes = options.rules
      .filter(({ properties }) => properties.State === 'ENABLED')
      .flatMap(({ logicalId, arn, properties }) => {
        const name = `${logicalId} (AWS::Events::Rule)`
        const matches = compilePattern(properties.EventPattern, `${name} EventPattern`)
        return properties.Targets.map(target => {
          if (!options.isKnownTarget(target.Arn))
            throw unsupported(`${name} Targets.${target.Id}`, `the target ${target.Arn} is not known`)
          const input = compileInput(target, `${name} Targets.${target.Id}`)
          return { name, ruleArn: arn, matches, target, input }
        })
      })
  }

  /** Whether a rule matches the event. */
  isHeard(event: Readonly<Record<string, unknown>>): boolean {
    return this.#routes.some(({ matches }) => matches(event))
  }

  /**
   * Delivers an event to every target; resolves when all have accepted it, so that the sender may forget it.
   *
   * Rejects when a target without a dead-letter queue has refused it. The sender then tries again, and targets that have
   * accepted it get it twice, as can happen in the cloud.
   */
  async deliver(event: Readonly<Record<string, unknown>>): Promise<void> {
    const routes = this.#routes.filter(({ matches }) => matches(event))
    await Promise.all(routes.map(route => this.#deliverTo(route, event)))
  }

  async #deliverTo(
    { name, ruleArn, target, input }: Route,
    event: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const from = { eventId: String(event['id'] ?? ''), ruleArn }
    const attempts = Math.min(mostAttempts, (target.RetryPolicy?.MaximumRetryAttempts ?? mostAttempts) + 1)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.deliver(target, input(event), from)
      } catch (error) {
        // Shutting down is no refusal, nor is a full disk: the sender keeps the event.
        if (isOutOfSpace(error) || isUnavailable(error)) throw error
        if (attempt < attempts) continue
        this.#options.log(`${name}: ${target.Arn} refused event ${String(event['id'])}: ${String(error)}`)
        if (!target.DeadLetterConfig) throw error
        return this.#options.deadLetter(target.DeadLetterConfig.Arn, event)
      }
    }
  }
}

/** The text that a target receives for an event. */
type TargetInput = (event: Readonly<Record<string, unknown>>) => string

/**
 * What a rule's target receives: the event, a part of it (`InputPath`), a constant (`Input`), or a template with
 * values of the event (`InputTransformer`). Paths are plain ones, such as `$.detail.object.key`.
 */
const compileInput = (target: RuleTarget, where: string): TargetInput => {
  const given = [target.Input, target.InputPath, target.InputTransformer].filter(value => value !== undefined)
  if (given.length > 1) throw unsupported(where, 'only one of Input, InputPath and InputTransformer')
  if (target.Input !== undefined) {
    const constant = target.Input
    return () => constant
  }
  if (target.InputPath !== undefined) {
    const read = compilePath(target.InputPath, where)
    return event => JSON.stringify(read(event) ?? null)
  }
  if (target.InputTransformer !== undefined) {
    const { InputPathsMap, InputTemplate } = target.InputTransformer
    const paths = Object.entries(InputPathsMap).map(
      ([name, path]) => [name, compilePath(path, where)] as const,
    )
    return event =>
      fill(InputTemplate, Object.fromEntries(paths.map(([name, read]) => [name, read(event)])), where)
  }
  return event => JSON.stringify(event)
}

const compilePath = (path: string, where: string) => {
  if (!/^\$(\.[\w-]+)*$/.test(path)) throw unsupported(where, `the path ${path} is not a plain one`)
  const names = path.split('.').slice(1)
  return (event: unknown): unknown =>
    names.reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      event,
    )
}

/**
 * EventBridge User Guide, "Transforming Amazon EventBridge target input": inside quotes a text is inserted as JSON
 * escapes it, outside of quotes any value is inserted as JSON.
 */
const fill = (template: string, values: Readonly<Record<string, unknown>>, where: string): string => {
  let isInsideQuotes = false
  return template.replaceAll(/\\.|"|<([\w.-]+)>/g, (part, name: string | undefined) => {
    if (part === '"') isInsideQuotes = !isInsideQuotes
    if (name === undefined) return part
    if (!(name in values)) throw unsupported(where, `the template's <${name}> has no path`)
    const json = JSON.stringify(values[name] ?? null)
    if (!isInsideQuotes) return json
    return typeof values[name] === 'string' ? json.slice(1, -1) : JSON.stringify(json).slice(1, -1)
  })
}

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
