import { isOutOfSpace } from '#lib/errors/out-of-space.ts'
import type { RuleProperties, RuleTarget } from '../resources/events.ts'
import { isUnavailable } from '../service-error.ts'
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

/** What a rule's target receives: the event, or a template with values of it. Paths are plain ones, such as `$.detail.object.key`. */
const compileInput = (target: RuleTarget, where: string): TargetInput => {
  if (target.InputTransformer === undefined) return event => JSON.stringify(event)
  const { InputPathsMap, InputTemplate } = target.InputTransformer
  const paths = Object.entries(InputPathsMap).map(([name, path]) => [name, compilePath(path, where)] as const)
  return event =>
    fill(InputTemplate, Object.fromEntries(paths.map(([name, read]) => [name, read(event)])), where)
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
