import { createReadStream } from 'node:fs'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { hexDigest } from '../../functions/lib/digests.ts'

const journalSchema = z.object({
  /** The request as one text. */
  request: z.string(),
  fileId: z.number(),
  columns: z.array(z.string()).optional(),
  /** Equal fingerprints mean equal bytes. */
  fingerprint: z.string().optional(),
})
export type DownloadJournal = z.infer<typeof journalSchema>

/** A partial download: `<path>.part` holds the bytes so far, `<path>.part.json` says what they belong to. */
export const partialFile = (path: string) => {
  const part = `${path}.part`
  const journalPath = `${part}.json`
  return {
    /** The journal of an earlier attempt at the same request. */
    journal: async (request: string): Promise<DownloadJournal | undefined> => {
      const text = await readFile(journalPath, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      const parsed = journalSchema.safeParse(parseJson(text))
      return parsed.success && parsed.data.request === request ? parsed.data : undefined
    },

    saveJournal: (journal: DownloadJournal): Promise<void> => writeFile(journalPath, JSON.stringify(journal)),

    /** Opens the part for appending, or empty. Resolves to the length and checksum of its content. */
    open: async (keepsContent: boolean) => {
      const handle = await open(part, keepsContent ? 'a' : 'w')
      let crc = 0
      let bytes = 0
      if (keepsContent) {
        for await (const chunk of createReadStream(part, { highWaterMark: 1 << 20 })) {
          crc = crc32(chunk, crc)
          bytes += chunk.length
        }
      }
      return { handle, crc, bytes }
    },

    finish: async (): Promise<void> => {
      await rename(part, path)
      await rm(journalPath, { force: true })
    },

    discard: async (): Promise<void> => {
      await rm(part, { force: true })
      await rm(journalPath, { force: true })
    },
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const fingerprintOf = (content: unknown): string => hexDigest(JSON.stringify(content))
