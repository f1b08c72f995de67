import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { writePrivately } from '../shell/write-privately.ts'

const receipt = z.object({
  /** Names the person without saying who it is: SHA-256 of columns and values. */
  person: z.string(),
  columns: z.array(z.string()),
  erased: z.array(
    z.object({
      kind: z.string(),
      id: z.string(),
      branch: z.optional(z.number()),
      rows: z.optional(z.number()),
      at: z.string(),
    }),
  ),
  /** What is still there, and why. */
  left: z.array(z.object({ kind: z.string(), id: z.string(), reason: z.string() })),
})

export type Receipt = z.infer<typeof receipt>

/** The receipt so far, of an erasure of the same person that was cut off; else a new one. Error: `cli.usage` for another person's. */
export const openReceipt = async (
  path: string,
  person: string,
  columns: readonly string[],
): Promise<Receipt> => {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return { person, columns: [...columns], erased: [], left: [] }
  const kept = z.safeParse(receipt, parseJson(text)).data
  if (kept?.person !== person)
    throw new UserError(
      'cli.usage',
      `${path} is no receipt of this person. Name another file with --receipt.`,
    )
  return { ...kept, left: [] }
}

export const saveReceipt = (path: string, kept: Receipt): Promise<void> =>
  writePrivately(path, `${JSON.stringify(kept, null, 2)}\n`)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
