import type { Stats } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { writePrivately } from '../write-privately.ts'

const journalSchema = z.object({
  /** The request as one text. */
  request: z.string(),
  /** Of the local file. When one of the two differs, the content has changed. */
  bytes: z.number(),
  modified: z.number(),
  fileId: z.number(),
  /** Of the multipart upload, when there is one. */
  uploadId: z.string().optional(),
})
type UploadJournal = z.infer<typeof journalSchema>

/** `<path>.upload.json`: the destination of an unfinished upload. */
export const uploadJournal = (path: string, request: string, { size, mtimeMs }: Stats) => {
  const journalPath = `${path}.upload.json`
  return {
    /** The journal of an earlier attempt at the same request with the same content. */
    read: async (): Promise<UploadJournal | undefined> => {
      const text = await readFile(journalPath, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      try {
        const journal = journalSchema.parse(JSON.parse(text))
        const isSame = journal.request === request && journal.bytes === size && journal.modified === mtimeMs
        return isSame ? journal : undefined
      } catch {
        return undefined
      }
    },
    save: (place: { fileId: number; uploadId?: string }): Promise<void> =>
      writePrivately(journalPath, JSON.stringify({ request, bytes: size, modified: mtimeMs, ...place })),
    remove: (): Promise<void> => rm(journalPath, { force: true }),
  }
}
