import { randomUUID } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import { type NextTime, readSchedule as readExpression } from '#lib/schedules/schedule-expression.ts'
import type { ScheduleProperties } from '../resources/events.ts'
import { unsupported } from '../template/unsupported.ts'

interface ScheduleDefinition {
  readonly name: string
  readonly arn: string
  readonly logicalId: string
  readonly properties: ScheduleProperties
}

interface SchedulerOptions {
  readonly schedules: readonly ScheduleDefinition[]
  /** Delivers a due schedule's input to its target; rejects when the target refuses it. */
  readonly deliver: (target: ScheduleProperties['Target'], input: string) => Promise<void>
  readonly isKnownTarget: (arn: string) => boolean
  readonly log: (message: string) => void
}

/** Longer pauses are split: Node's timers end at 24 days, and a laptop's clock jumps when it wakes. */
const longestPauseMs = 60_000

/**
 * Runs each schedule when it is due. Runs that were due while this process was down are skipped: a schedule says when,
 * not how often.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #due: readonly (readonly [ScheduleDefinition, NextTime])[]

  /** Refuses unknown expressions, targets and placeholders when the stack is read. */
  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#due = options.schedules
      .filter(({ properties }) => properties.State === 'ENABLED')
      .map(schedule => {
        const { ScheduleExpression, ScheduleExpressionTimezone, Target } = schedule.properties
        const where = `${schedule.logicalId} (AWS::Scheduler::Schedule)`
        if (!options.isKnownTarget(Target.Arn))
          throw unsupported(where, `the target ${Target.Arn} is not known`)
        fillInput(schedule, new Date(0), where)
        return [schedule, readSchedule(ScheduleExpression, ScheduleExpressionTimezone, where)] as const
      })
  }

  /** With work from before the start a schedule of each minute runs at once. */
  start({ hasEarlierWork }: { hasEarlierWork: boolean }): void {
    const now = new Date()
    for (const [schedule, nextTime] of this.#due) {
      const due = nextTime(now)
      if (hasEarlierWork && due && isOfEachMinute(nextTime, due)) void this.#run(schedule, now)
      this.#wait(schedule, nextTime, due)
    }
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #wait(schedule: ScheduleDefinition, nextTime: NextTime, due: Date | undefined): void {
    if (!due) return
    const pause = Math.min(due.getTime() - Date.now(), longestPauseMs)
    const timer = setTimeout(() => {
      if (Date.now() < due.getTime()) return this.#wait(schedule, nextTime, due)
      void this.#run(schedule, due)
      this.#wait(schedule, nextTime, nextTime(new Date()))
    }, pause)
    this.#timers.set(schedule.name, timer.unref())
  }

  async #run(schedule: ScheduleDefinition, due: Date): Promise<void> {
    try {
      await this.#options.deliver(schedule.properties.Target, fillInput(schedule, due, schedule.logicalId))
    } catch (error) {
      this.#options.log(`${schedule.name}: its target refused it: ${String(error)}`)
    }
  }
}

const isOfEachMinute = (nextTime: NextTime, due: Date): boolean => {
  const following = nextTime(due)
  return following !== undefined && following.getTime() - due.getTime() <= 60_000
}

/** EventBridge Scheduler User Guide, "Adding context attributes". */
const fillInput = ({ arn, properties }: ScheduleDefinition, due: Date, where: string): string => {
  const attributes: Readonly<Record<string, string>> = {
    'schedule-arn': arn,
    'scheduled-time': `${due.toISOString().slice(0, 19)}Z`,
    'execution-id': randomUUID(),
    'attempt-number': '1',
  }
  return properties.Target.Input.replaceAll(/<aws\.scheduler\.([\w-]+)>/g, (placeholder, name: string) => {
    const value = attributes[name]
    if (value === undefined) throw unsupported(where, `the attribute ${placeholder} is not known`)
    return value
  })
}

/** Reads the expression of a schedule of the template, or refuses it with its place. */
export const readSchedule = (expression: string, timezone: string, where: string): NextTime => {
  try {
    return readExpression(expression, timezone)
  } catch (error) {
    throw error instanceof UserError ? unsupported(where, error.message) : error
  }
}
