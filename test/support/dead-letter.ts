import { z } from 'zod'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { eventually } from './eventually.ts'

/** A dead letter, as docs/operations.md describes it: nothing is missing, and nothing else is there. */
const deadLetter = z.strictObject({
  id: z.number(),
  machine: z.string(),
  source: z.strictObject({
    machine: z.string().includes(':stateMachine:'),
    execution: z.string().includes(':execution:'),
  }),
  input: z.record(z.string(), z.unknown()),
  failure: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }),
  details: z.record(z.string(), z.unknown()),
  at: z.iso.datetime(),
  subject: z.strictObject({ name: z.string(), scope: z.string() }),
})

type DeadLetter = z.infer<typeof deadLetter>

/** All that are kept of a machine, oldest first. */
export const keptLetters = async (cloud: EmbeddedCloud, machine: string): Promise<DeadLetter[]> => {
  const store = cloud.items(cloud.describeOutputs()['ItemTable'] ?? '')
  const items = await Array.fromAsync(store.query('FAILURES', { from: '0', to: '9' }))
  return items
    .filter(item => item['machine'] === machine)
    .map(({ pk: _pk, sk: _sk, expiresAt: _expiresAt, ...letter }) => deadLetter.parse(letter))
    .toSorted((a, b) => a.id - b.id)
}

/** Gives the oldest letter that it has not given yet; `undefined` when there is none. An execution has ended before its letter is kept. */
export const lettersOneByOne = (letters: () => Promise<DeadLetter[]>) => {
  const given = new Set<number>()
  const next = async (): Promise<DeadLetter | undefined> => {
    const found = (await letters()).find(({ id }) => !given.has(id))
    if (found) given.add(found.id)
    return found
  }
  return {
    next,
    arrived: () =>
      eventually(async () => {
        const found = await next()
        if (found === undefined) throw new Error('There is no letter yet')
        return found
      }),
  }
}
