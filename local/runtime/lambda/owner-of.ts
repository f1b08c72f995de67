import { z } from 'zod'
import { readStorageToken } from '#lib/storage-client/storage-token.ts'
import { createItemTable, type ItemStore } from '../../../functions/lib/items/item-table.ts'
import { createSpreadRecords } from '../../../functions/lib/storage/db/spread-records.ts'

/** Whose work an event of a machine is: the id of a token. */
export type OwnerOf = (event: unknown) => Promise<string>

/** Work of the operator: of the master token, and what nobody asked for. */
export const OPERATOR = ''

const tokenId = z.coerce.string()
const ofJob = z.object({ input: z.object({ jobId: z.int() }) })
const ofRun = z.object({
  input: z.object({ authorTokenId: tokenId.optional(), tokenIds: z.array(tokenId).optional() }),
})
const job = z.object({ id: z.int(), creatorToken: z.object({ id: tokenId }) })

/** Jobs know who asked for them, runs are told. */
export const createOwnerOf = (items: ItemStore, masterToken: string): OwnerOf => {
  const jobs = createSpreadRecords(createItemTable(items), 'JOBS', item => job.parse(item))
  const master = readStorageToken(masterToken).split('-')[1]
  const ownerIdOf = async (event: unknown): Promise<string | undefined> => {
    const step = ofJob.safeParse(event)
    if (step.success) return (await jobs.get(step.data.input.jobId))?.creatorToken.id
    const { authorTokenId, tokenIds } = ofRun.safeParse(event).data?.input ?? {}
    return authorTokenId ?? tokenIds?.[0]
  }
  return async event => {
    const owner = await ownerIdOf(event)
    return owner === undefined || owner === master ? OPERATOR : owner
  }
}
