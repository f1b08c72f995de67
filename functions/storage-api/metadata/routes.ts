import type { Route } from '../http/route.ts'
import { branchMetadata } from './branch-metadata.ts'
import { bucketMetadata } from './bucket-metadata.ts'
import { columnMetadata } from './column-metadata.ts'
import { configurationMetadata } from './configuration-metadata.ts'
import { deleteMetadatum, listMetadata, setMetadata } from './metadata-owner.ts'
import { setTableMetadata, tableMetadataOwner } from './table-metadata.ts'

export const metadataRoutes: readonly Route[] = [
  deleteMetadatum(branchMetadata),
  listMetadata(branchMetadata),
  setMetadata(branchMetadata),
  deleteMetadatum(bucketMetadata),
  listMetadata(bucketMetadata),
  setMetadata(bucketMetadata),
  deleteMetadatum(columnMetadata),
  listMetadata(columnMetadata),
  setMetadata(columnMetadata),
  deleteMetadatum(configurationMetadata),
  listMetadata(configurationMetadata),
  setMetadata(configurationMetadata),
  deleteMetadatum(tableMetadataOwner),
  listMetadata(tableMetadataOwner, 'The metadata, those of its columns left out'),
  setTableMetadata,
]
