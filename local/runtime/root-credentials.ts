import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { DurableFiles } from '../durable/durable-files.ts'
import { type Log, readRecord, removeUnfinished } from '../durable/records.ts'

const schema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() })

/** The account's own key. */
export type RootCredentials = z.infer<typeof schema>

/** Made at the first start and kept. */
export const rootCredentials = async (
  path: string,
  files: DurableFiles,
  log: Log,
): Promise<{ credentials: RootCredentials; areNew: boolean }> => {
  await removeUnfinished(files, dirname(path))
  const kept = await readRecord(files, path, text => schema.parse(JSON.parse(text)), log)
  if (kept !== undefined) return { credentials: kept, areNew: false }
  const made = {
    // The form of a real one: some clients check it.
    accessKeyId: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString('hex'),
  }
  await files.writeWhole(path, JSON.stringify(made))
  return { credentials: made, areNew: true }
}
