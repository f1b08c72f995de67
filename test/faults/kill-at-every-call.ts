import { isThorough } from '../support/thorough.ts'
import { type ExpectedTable, tableDifferences } from './model.ts'
import { dieAt } from './seam.ts'
import type { World } from './world.ts'

/** Does the work under the name of an execution; as often as it takes, after each death once more. */
export type Attempt = (work: (execution: string) => Promise<unknown>) => Promise<void>

export interface Expected {
  tables?: readonly ExpectedTable[]
  /** What else differs from the model. */
  others?: () => Promise<string[]>
}

/**
 * Plays an operation again and again, each time dying at the next call that changes something, until one gets
 * through undisturbed. After each death the work is done once more: by the same execution, as Step Functions
 * repeats a step, or by a new one, as an event that comes again starts. What `play` and the model then say of the whole
 * must be nothing.
 *
 * `every`: for a long operation, dies at every so many-th call only, unless `KILLS=all`.
 *
 * All that is stored is alike after one write and before the next, so one death in between is enough; `KILLS=all` dies
 * on both sides, and comes back both ways.
 */
export const killAtEveryCall = async (
  world: World,
  play: (attempt: Attempt) => Promise<Expected>,
  { every = 1 } = {},
): Promise<{ writes: number }> => {
  const { seam, landing } = world
  const differences: string[] = []
  const playOnce = async (call: number, when: 'before' | 'after'): Promise<boolean> => {
    let hasDied = false
    const isNewExecution = isThorough ? when === 'after' : call % 2 === 0
    const attempt: Attempt = async work => {
      const execution = landing.newExecution()
      seam.follow(dieAt(call, when))
      try {
        await work(execution)
      } catch (error) {
        if (!seam.isDead) throw error
      }
      hasDied = seam.isDead
      seam.calm()
      if (!hasDied) return
      if (isNewExecution) landing.stop(execution)
      await work(isNewExecution ? landing.newExecution() : execution)
    }
    const { tables = [], others = async () => [] } = await play(attempt)
    await world.heal()
    const found = await others()
    for (const table of tables) found.push(...tableDifferences(table, await world.rowsOf(table.name)))
    differences.push(...found.map(difference => `died ${when} write ${call}: ${difference}`))
    return hasDied
  }
  let call = 0
  for (let hasDied = true; hasDied; ) {
    call += isThorough ? 1 : every
    hasDied = await playOnce(call, 'after')
    if (isThorough) await playOnce(call, 'before')
  }
  differences.push(...(await world.leftOvers()))
  if (differences.length > 0) throw new Error(differences.join('\n'))
  return { writes: call - (isThorough ? 1 : every) }
}
