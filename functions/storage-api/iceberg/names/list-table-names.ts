import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { Services } from '../../services/services.ts'
import type { Named } from './identifiers.ts'

/** The tables of a bucket, by name, and its aliases. */
export const listTableNames = async (
  { tables }: Pick<Services, 'tables'>,
  bucketId: string,
): Promise<[tables: Named[], aliases: Named[]]> => {
  const found = await tables.namesInBucket(bucketId)
  const named = found.map(({ name, isAlias }) => ({ id: tableIdOf({ bucketId, name }), name, isAlias }))
  return [named.filter(({ isAlias }) => !isAlias), named.filter(({ isAlias }) => isAlias)]
}
