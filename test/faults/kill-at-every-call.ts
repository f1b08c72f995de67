import { type ExpectedTable, tableDifferences } from './model.ts'
import { dieAt } from './seam.ts'
import type { World } from './world.ts'

/** Does the work under the name of an execution; as often as it takes, after each death once more. */
export type Attempt = (work: (execution: string) => Promise<unknown>) => Promise<void>

/**
 * Plays an operation again and again, each time dying before and then after the next call to another side, until one
 * gets through undisturbed. After each death the work is done once more: by the same execution, as Step Functions
 * repeats a step, or by a new one, as an event that comes again starts. Then the tables are as the model says.
 */
export const killAtEveryCall = async (
  world: World,
  play: (attempt: Attempt) => Promise<readonly ExpectedTable[]>,
): Promise<{ calls: number }> => {
  const { seam, landing } = world
  const differences: string[] = []
  const playOnce = async (call: number, when: 'before' | 'after'): Promise<boolean> => {
    let hasDied = false
    const isNewExecution = call % 2 === 0
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
    const tables = await play(attempt)
    await world.heal()
    for (const table of tables)
      for (const difference of tableDifferences(table, await world.rowsOf(table.name)))
        differences.push(`died ${when} call ${call}: ${difference}`)
    return hasDied
  }
  let call = 0
  for (let hasDied = true; hasDied; ) {
    call += 1
    hasDied = await playOnce(call, 'before')
    if (hasDied) await playOnce(call, 'after')
  }
  differences.push(...(await world.leftOvers()))
  if (differences.length > 0) throw new Error(differences.join('\n'))
  return { calls: call - 1 }
}
