import { rightsOnFiles, rightsOnTables } from '../../local/runtime/rights.ts'

export const roleArn = 'arn:aws:iam::000000000000:role/file-access'
export const tableRoleArn = 'arn:aws:iam::000000000000:role/table-access'

/** The roles of the service that narrow sessions are made of. */
export const storageRoles = (filesBucket: string, tablesBucket: string) =>
  new Map([
    [roleArn, rightsOnFiles(filesBucket)],
    [tableRoleArn, rightsOnTables(tablesBucket)],
  ])
