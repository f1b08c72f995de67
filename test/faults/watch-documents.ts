import type { DocumentRequests } from '#lib/aws/dynamodb-request.ts'
import type { Seam } from './seam.ts'

/** The records of the import hook with each request through the seam. */
export const watchDocuments = (seam: Seam, documents: DocumentRequests): DocumentRequests => ({
  get: request => seam.call('records.get', request, documents.get),
  put: request => seam.call('records.put', request, documents.put),
  update: request => seam.call('records.update', request, documents.update),
})
