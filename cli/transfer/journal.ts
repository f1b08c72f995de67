import { readFile, rm } from 'node:fs/promises'
import type { z } from 'zod'
import { writePrivately } from '../shell/write-privately.ts'

/** A file of notes on a transfer that is not done, for the attempt that goes on with it. */
export const journalAt = <Notes>(path: string, schema: z.ZodType<Notes>) => ({
  /** Nothing when there are none, or when they are not whole. */
  read: async (): Promise<Notes | undefined> => {
    const text = await readFile(path, 'utf8').catch(() => '')
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  },
  save: (notes: Notes): Promise<void> => writePrivately(path, JSON.stringify(notes)),
  remove: (): Promise<void> => rm(path, { force: true }),
})
