import { createHmac, hkdfSync } from 'node:crypto'
import type { BucketDocuments } from '../lib/aws/bucket-documents.ts'
import type { SharedBudgets } from '../lib/extractor/requests/http/request-budget.ts'
import { BUDGETS_PREFIX } from './names.ts'

const KEY_BYTES = 32

/**
 * Budgets of requests in the work bucket: one small document each, replaced by conditional writes.
 *
 * Its name comes from secrets, so it is keyed with the stack's own token: who reads the bucket can guess none of them.
 */
export const createSharedBudgets = (work: BucketDocuments, stackToken: string): SharedBudgets => {
  const key = Buffer.from(hkdfSync('sha256', stackToken, '', 'budgets of requests', KEY_BYTES))
  return {
    digest: text => createHmac('sha256', key).update(text).digest('hex'),
    store: name => {
      const document = `${BUDGETS_PREFIX}${name}.json`
      return {
        read: async () => {
          const stored = await work.read(document)
          return stored && { value: stored.value, version: stored.etag }
        },
        write: (value, version) =>
          work.offer(document, value, version === undefined ? 'absent' : { etag: version }),
      }
    },
  }
}
