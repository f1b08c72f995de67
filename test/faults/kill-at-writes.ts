import { extname } from 'node:path'
import { chooseKills, type Kill } from '../support/choose-kills.ts'
import { type ExpectedTable, tableDifferences } from './model.ts'
import { type Call, dieAt } from './seam.ts'
import type { World } from './world.ts'

/** Does the work under the name of an execution; as often as it takes, after each death once more. */
export type Attempt = (work: (execution: string) => Promise<unknown>) => Promise<void>

export interface Expected {
  tables?: readonly ExpectedTable[]
  /** What else differs from the model. */
  others?: () => Promise<string[]>
}

/**
 * Plays an operation once undisturbed, to see what it writes, and then again and again, each time dying at another of
 * these writes: a sample, or all with `KILLS=all`. After each death the work is done once more: by the same execution, as
 * Step Functions repeats a step, or by a new one, as an event that comes again starts. What `play` and the model then say
 * of the whole must be nothing.
 */
export const killAtWrites = async (
  world: World,
  play: (attempt: Attempt) => Promise<Expected>,
): Promise<{ writes: number }> => {
  const { seam, landing } = world
  const differences: string[] = []
  const playOnce = async (attempt: Attempt, name: string): Promise<void> => {
    const { tables = [], others = async () => [] } = await play(attempt)
    await world.heal()
    const found = await others()
    for (const table of tables) found.push(...tableDifferences(table, await world.rowsOf(table.name)))
    differences.push(...found.map(difference => `${name}: ${difference}`))
  }

  const kinds: string[] = []
  const undisturbed: Attempt = async work => {
    kinds.length = 0
    seam.follow(call => void (call.write && kinds.push(kindOf(call))))
    await work(landing.newExecution())
    seam.calm()
  }
  await makeFirstOfAll(world)
  await playOnce(undisturbed, 'undisturbed')

  const dying =
    ({ write, when, isNewExecution }: Kill): Attempt =>
    async work => {
      const execution = landing.newExecution()
      seam.follow(dieAt(write, when))
      try {
        await work(execution)
      } catch (error) {
        if (!seam.isDead) throw error
      }
      if (!seam.isDead) differences.push(`write ${write} of ${kinds.length} never came`)
      seam.calm()
      if (isNewExecution) landing.stop(execution)
      await work(isNewExecution ? landing.newExecution() : execution)
    }
  for (const kill of chooseKills(kinds))
    await playOnce(dying(kill), `died ${kill.when} write ${kill.write} (${kinds[kill.write - 1]})`)

  differences.push(...(await world.leftOvers()))
  if (differences.length > 0) throw new Error(differences.join('\n'))
  return { writes: kinds.length }
}

/** The first look at the project writes when it was made. No play is the first then, and all write alike. */
const makeFirstOfAll = ({ service }: World) => service.call('GET', '/v2/storage/tokens/verify')

/** The command or the request, and what it writes: `items.put JOBS`, `S3.PutObjectCommand .parquet`, `http POST`. */
const kindOf = ({ name, input }: Call): string => {
  const [kind = name] = name.split(' /')
  const { key, pk = key?.pk, Key } = Object(input)
  if (typeof pk === 'string') return `${kind} ${pk.split('#')[0]}`
  return typeof Key === 'string' ? `${kind} ${extname(Key)}` : kind
}
