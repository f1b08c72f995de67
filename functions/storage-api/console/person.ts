import type { TokenBody } from '#lib/wire/token-body.ts'
import { bucketOfTable, mayUseBucket } from '../../lib/storage/tokens/rights.ts'

/** Who is signed in: the token, as far as pages ask. */
export type Person = Pick<
  TokenBody,
  'description' | 'canManageBuckets' | 'canManageTokens' | 'bucketPermissions' | 'componentAccess'
>

/** Whether forms that change a table are shown. The API decides again. */
export const mayWrite = (person: Person, tableId: string): boolean =>
  mayUseBucket(person, bucketOfTable(tableId), 'write')

/** Whether any table may be loaded. */
export const mayLoad = (person: Person): boolean =>
  Object.keys(person.bucketPermissions).some(id => mayUseBucket(person, id, 'write')) ||
  person.canManageBuckets

/** Whether there is any configuration to be seen or made. */
export const mayConfigure = ({ canManageBuckets, componentAccess = [] }: Person): boolean =>
  canManageBuckets || componentAccess.length > 0
