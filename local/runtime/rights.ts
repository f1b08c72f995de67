import type { FunctionName } from '../../infra/system.ts'
import type { PolicyDocument } from '../s3/auth/policy-document.ts'
import { accessRoles, bucketName, roleOfFunction } from './names.ts'

/** What a function may do. */
export type RightsOf = (name: FunctionName) => PolicyDocument

/**
 * On one machine a function may do everything: what its role in an account allows is held by tests, which give the roles of the
 * template in place of this one.
 */
export const everything: RightsOf = () => allowing(['*'], ['*'])

const allowing = (actions: string[], resources: string[]): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: actions, Resource: resources }],
})

/** What each role allows, by its ARN. Those that are given away are narrowed for each session. */
export const documentsOfRoles = (
  functions: readonly FunctionName[],
  rightsOf: RightsOf,
): ReadonlyMap<string, PolicyDocument> => {
  const inBucket = (name: 'files' | 'tables') => {
    const bucket = `arn:aws:s3:::${bucketName(name)}`
    return allowing(['s3:*'], [bucket, `${bucket}/*`])
  }
  return new Map([
    ...functions.map((name): [string, PolicyDocument] => [roleOfFunction(name), rightsOf(name)]),
    [accessRoles.files, inBucket('files')],
    [accessRoles.tables, inBucket('tables')],
  ])
}
