import * as z from 'zod/mini'
import { creatorToken, described, wireDateText } from './fields.ts'

/** A kept snapshot with the table as it was. */
export const snapshotBody = z
  .object({
    id: z.string(),
    type: z.literal('table'),
    uri: z.string(),
    dataFileId: z.string(),
    createdTime: wireDateText,
    description: z.string(),
    creatorToken,
    dataSizeBytes: z.int(),
    rowsCount: z.int(),
    table: z.looseObject({ id: z.string(), name: z.string(), columns: z.array(z.string()) }),
  })
  .register(described, { id: 'Snapshot' })

export type SnapshotBody = z.infer<typeof snapshotBody>
