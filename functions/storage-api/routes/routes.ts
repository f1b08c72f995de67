import type { Route } from '../wire/route.ts'
import { listBranches } from './branches/list-branches.ts'
import { createBucket } from './buckets/create-bucket.ts'
import { deleteBucket } from './buckets/delete-bucket.ts'
import { getBucket } from './buckets/get-bucket.ts'
import { listBucketTables } from './buckets/list-bucket-tables.ts'
import { listBuckets } from './buckets/list-buckets.ts'
import { updateBucket } from './buckets/update-bucket.ts'
import { addFileTag } from './files/add-file-tag.ts'
import { deleteFile } from './files/delete-file.ts'
import { getFile } from './files/get-file.ts'
import { listFiles } from './files/list-files.ts'
import { prepareFile } from './files/prepare-file.ts'
import { removeFileTag } from './files/remove-file-tag.ts'
import { uploadFile } from './files/upload-file.ts'
import { getIndex } from './index/get-index.ts'
import { getJob } from './jobs/get-job.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { createTable } from './tables/create-table.ts'
import { deleteTable } from './tables/delete-table.ts'
import { exportTable } from './tables/export-table.ts'
import { getTable } from './tables/get-table.ts'
import { importTable } from './tables/import-table.ts'
import { listTables } from './tables/list-tables.ts'
import { previewTable } from './tables/preview-table.ts'
import { verifyToken } from './tokens/verify-token.ts'

/** Every route of the service; a fixed path stands before one with a parameter in its place. */
export const routes: Route[] = [
  getIndex,
  verifyToken,
  listBranches,
  listBuckets,
  createBucket,
  getBucket,
  updateBucket,
  deleteBucket,
  listBucketTables,
  createTable,
  listTables,
  getTable,
  deleteTable,
  importTable,
  exportTable,
  previewTable,
  listFiles,
  prepareFile,
  getFile,
  deleteFile,
  addFileTag,
  removeFileTag,
  uploadFile,
  listJobs,
  getJob,
]
