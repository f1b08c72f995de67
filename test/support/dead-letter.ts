import { z } from 'zod'

/** A dead letter, as docs/operations.md describes it: nothing is missing, and nothing else is there. */
export const deadLetter = z.strictObject({
  version: z.literal(1),
  source: z.strictObject({
    machine: z.string().includes(':stateMachine:'),
    execution: z.string().includes(':execution:'),
  }),
  input: z.record(z.string(), z.unknown()),
  failure: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }),
  details: z.record(z.string(), z.unknown()),
  at: z.iso.datetime(),
  redrive: z.string().min(1),
})

/** Gives the oldest letter that it has not given yet; `undefined` when there is none. */
export const lettersOneByOne = (letters: () => readonly string[]) => {
  const given = new Set<string>()
  return (): z.infer<typeof deadLetter> | undefined => {
    const next = letters().find(letter => !given.has(letter))
    if (next === undefined) return undefined
    given.add(next)
    return deadLetter.parse(JSON.parse(next))
  }
}
