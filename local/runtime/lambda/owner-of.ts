import { z } from 'zod'
import { createItemTable, type ItemStore } from '#lib/items/item-table.ts'
import { createSpreadRecords } from '#lib/storage/db/spread-records.ts'
import { readStorageToken } from '#lib/storage-client/storage-token.ts'

/** Owner of the work of the master token, and of what nobody asked for. */
export const OPERATOR = ''

const id = z.coerce.string()
const step = z.object({
  input: z.object({ jobId: z.int(), authorTokenId: id, tokenIds: z.array(id) }).partial(),
})
const job = z.object({ id: z.int(), creatorToken: z.object({ id }) })

/** Whose work an event of a machine is: the id of a token. Jobs know who asked for them, runs are told. */
export const createOwnerOf = (items: ItemStore, masterToken: string) => {
  const jobs = createSpreadRecords(createItemTable(items), 'JOBS', item => job.parse(item))
  const master = readStorageToken(masterToken).split('-')[1]
  return async (event: unknown): Promise<string> => {
    const { jobId, authorTokenId, tokenIds } = step.safeParse(event).data?.input ?? {}
    const asker = jobId === undefined ? undefined : (await jobs.get(jobId))?.creatorToken.id
    const owner = asker ?? authorTokenId ?? tokenIds?.[0] ?? OPERATOR
    return owner === master ? OPERATOR : owner
  }
}

export type OwnerOf = ReturnType<typeof createOwnerOf>
