import { expect, it } from 'vitest'
import { isAboutRights, MissingGrant } from '#lib/iceberg/glue/missing-grant.ts'

it.each([
  [
    'Insufficient permissions to execute the query. User: arn:aws:sts::1:assumed-role/r/f is not authorized to perform: glue:GetDatabase on resource: arn:aws:glue:eu-west-1:1:database/default because no identity-based policy allows the glue:GetDatabase action (Service: AWSGlue; Status Code: 400)',
    'allow the role of the function glue:GetDatabase on arn:aws:glue:eu-west-1:1:database/default',
  ],
  [
    'Insufficient Lake Formation permission(s): Required Create Table on millrace_1 (Service: AmazonDataCatalog; Status Code: 400; Error Code: AccessDeniedException)',
    'give the role of the function "Create Table" on millrace_1',
  ],
  [
    'Insufficient Lake Formation permission(s) on merge_7',
    'give the role of the function "all rights" on merge_7',
  ],
  ['COLUMN_NOT_FOUND: line 1:8: Relation contains no accessible columns', 'Lake Formation does not give it'],
  [
    'PERMISSION_DENIED: Access Denied: Cannot write to s3://results/merges/',
    'A right of the function on Athena',
  ],
])('names the grant that AWS misses: %s', (refusal, sentence) => {
  expect(isAboutRights(refusal)).toBe(true)
  const { message } = new MissingGrant(refusal)
  expect(message).toContain(sentence)
  expect(message).toContain(refusal)
})

it.each([
  'Bytes scanned limit was exceeded',
  'Query exhausted resources at this scale factor',
  'MERGE_TARGET_ROW_MULTIPLE_MATCHES: One MERGE target table row matched more than one source row',
  'ICEBERG_COMMIT_ERROR: Failed to commit the transaction during write',
])('takes nothing else for a question of rights: %s', reason => {
  expect(isAboutRights(reason)).toBe(false)
})
