import { DeleteObjectsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { mergeTableName, stagingTableName } from '../lib/distributed/glue-names.ts'
import { stagingFolder } from '../lib/distributed/merge-notes.ts'
import type { MergeServices } from './services.ts'

/**
 * Removes what a merge leaves in Glue, and its staging folder. May be repeated; what a crash leaves, the sweep removes.
 * The notes go last: without Glue's tables they start nothing.
 */
export const cleanUp = async (
  jobId: number,
  { catalog, s3, tablesBucket }: Pick<MergeServices, 'catalog' | 's3' | 'tablesBucket'>,
): Promise<void> => {
  await catalog.drop(mergeTableName(jobId))
  await catalog.drop(stagingTableName(jobId))
  const folder = { Bucket: tablesBucket, Prefix: `${stagingFolder(jobId)}/` }
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, folder)) {
    const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]))
    if (Objects.length === 0) continue
    const { Errors: [first] = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket: tablesBucket, Delete: { Objects, Quiet: true } }),
    )
    if (first) throw new Error(`${first.Key} could not be deleted: ${first.Code}`)
  }
}
