import type { Route } from '../http/route.ts'
import { deleteBranchMetadata, listBranchMetadata, setBranchMetadata } from './branch-metadata.ts'
import { deleteBucketMetadata, listBucketMetadata, setBucketMetadata } from './bucket-metadata.ts'
import { deleteColumnMetadata, listColumnMetadata, setColumnMetadata } from './column-metadata.ts'
import {
  deleteConfigurationMetadata,
  listConfigurationMetadata,
  setConfigurationMetadata,
} from './configuration-metadata.ts'
import { deleteTableMetadata, listTableMetadata, setTableMetadata } from './table-metadata.ts'

export const metadataRoutes: readonly Route[] = [
  deleteBranchMetadata,
  listBranchMetadata,
  setBranchMetadata,
  deleteBucketMetadata,
  listBucketMetadata,
  setBucketMetadata,
  deleteColumnMetadata,
  listColumnMetadata,
  setColumnMetadata,
  deleteConfigurationMetadata,
  listConfigurationMetadata,
  setConfigurationMetadata,
  deleteTableMetadata,
  listTableMetadata,
  setTableMetadata,
]
