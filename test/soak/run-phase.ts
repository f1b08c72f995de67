import { setTimeout as pause } from 'node:timers/promises'
import { acknowledged, callApi, untilAcknowledged } from './client.ts'
import { comparePhase } from './compare-phase.ts'
import { createConfiguration } from './configuration-steps.ts'
import { doStep } from './do-step.ts'
import { appendTable, createTable, fullTable, keyedTable, sharedTable } from './import-steps.ts'
import type { Difference } from './model.ts'
import type { Phase, Step, Stop } from './schedule.ts'
import type { StepContext } from './step-context.ts'

/** Everything that was accepted is done by itself after so long. */
const longestSettlingMs = 300_000
/** What still differs when no job is open and nothing has moved for so long stays as it is. A busy machine starts threads meanwhile. */
const quietMs = 30_000

/** One phase: clients at work while the process dies and starts, then a comparison when all is quiet. */
export const runPhase = async (context: StepContext, phase: Phase): Promise<Difference[]> => {
  await prepare(context, phase)
  const over = new AbortController()
  const stops = stopAndStart(context, phase.stops, over.signal)
  const failures = await doSteps(context, phase)
  over.abort()
  failures.push(...(await stops))
  return failures.length > 0 ? failures : untilEqual(context)
}

/** What clients of a phase share is there before they begin. */
const prepare = async (context: StepContext, { steps }: Phase): Promise<void> => {
  const { cloud, book } = context
  await untilAcknowledged(cloud, async facts => {
    const [stage, name] = ['in', book.bucket.slice('in.c-'.length)]
    const reply = await callApi(facts, { method: 'POST', path: 'buckets', body: { stage, name } })
    if (!String(reply.body?.code).toLowerCase().endsWith('alreadyexists')) acknowledged(reply, [201])
  })
  await Promise.all([
    createConfiguration(context),
    createTable(context, 'importAppend', appendTable),
    createTable(context, 'importKeyed', keyedTable, 'id'),
    createTable(context, 'importShared', sharedTable, 'id'),
    ...steps.map((_, client) => createTable(context, 'importFull', fullTable(client))),
  ])
}

const doSteps = async (context: StepContext, { steps }: Phase): Promise<Difference[]> => {
  const failures: Difference[] = []
  const doAll = async (own: readonly Step[]): Promise<void> => {
    for (const step of own) {
      if (failures.length > 0) return
      try {
        await doStep(context, step)
      } catch (error) {
        failures.push(failureOf(error, step.kind, step.number))
      }
    }
  }
  await Promise.all(steps.map(doAll))
  return failures
}

const failureOf = (error: unknown, subject: string, step: number): Difference => ({
  subject,
  step,
  message: error instanceof Error ? error.message : String(error),
})

/** Ends the process at its moments and starts it each time, until the clients are through. It is up in the end. */
const stopAndStart = async (
  { cloud }: StepContext,
  stops: readonly Stop[],
  over: AbortSignal,
): Promise<Difference[]> => {
  try {
    for (const stop of stops) {
      if (stop.at === 'work') await pause(stop.afterMs, undefined, { signal: over }).catch(() => {})
      await cloud.end(stop.at === 'start' ? 'SIGKILL' : stop.signal)
      if (stop.at === 'start') await cloud.stopDuringStart(stop)
      await cloud.start()
      if (over.aborted) break
    }
    return []
  } catch (error) {
    return [failureOf(error, 'process', 0)]
  }
}

/**
 * Waits until nothing differs, for as long as accepted work may take. It only looks: nobody asks for a job, so one that
 * waits for that is found.
 */
const untilEqual = async ({ cloud, book }: StepContext): Promise<Difference[]> => {
  const deadline = Date.now() + longestSettlingMs
  let [last, lastAt] = ['', Date.now()]
  for (;;) {
    const facts = await cloud.up()
    const differences = await comparePhase(facts, book)
    const found = JSON.stringify(differences)
    if (found !== last) [last, lastAt] = [found, Date.now()]
    const final = differences.filter(({ state }) => state === 'final')
    // The others may only be work that is still under way.
    if (final.length > 0) return final
    const isQuiet = !differences.some(({ state }) => state === 'open') && Date.now() - lastAt > quietMs
    if (differences.length === 0 || isQuiet || Date.now() > deadline) return differences
    await pause(500)
  }
}
