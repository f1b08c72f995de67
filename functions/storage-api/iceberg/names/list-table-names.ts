import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { Services } from '../../services/services.ts'
import type { Named } from './identifiers.ts'

/** The tables of a bucket, by name. Engines see no aliases. */
export const listTableNames = async (
  { tables }: Pick<Services, 'tables'>,
  bucketId: string,
): Promise<Named[]> => {
  const found = await tables.namesInBucket(bucketId)
  return found
    .filter(({ isAlias }) => !isAlias)
    .map(({ name }) => ({ id: tableIdOf({ bucketId, name }), name }))
}
