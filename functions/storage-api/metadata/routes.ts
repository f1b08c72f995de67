import type { Route } from '../http/route.ts'
import { branchMetadata, bucketMetadata, configurationMetadata } from './configuration-metadata.ts'
import { deleteMetadatum, listMetadata, setMetadata } from './metadata-owner.ts'
import { columnMetadata, setTableMetadata, tableMetadataOwner } from './table-metadata.ts'

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
