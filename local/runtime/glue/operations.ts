import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { account, arn } from '../resources/resource-type.ts'
import { type GlueTables, tableInput } from './catalog.ts'

const inDatabase = z.strictObject({ CatalogId: z.literal(account.id).optional(), DatabaseName: z.string() })
const ofTable = inDatabase.extend({ Name: z.string() })

export const glueDatabaseArn = (database: string): string => arn('glue', `database/${database}`)
export const glueTableArn = (database: string, name: string): string =>
  arn('glue', `table/${database}/${name}`)

const tableOutput = ({
  database,
  versionId,
  createTime,
  updateTime,
  input,
}: ReturnType<GlueTables['get']>) => ({
  ...input,
  DatabaseName: database,
  CatalogId: account.id,
  VersionId: String(versionId),
  CreateTime: createTime / 1000,
  UpdateTime: updateTime / 1000,
})

const PAGE_SIZE = 100

/**
 * The operations of Glue (AWS JSON 1.1) that a catalog of Iceberg tables needs. Of the resources that Glue checks, the
 * table decides; the account asks for its catalog and database too.
 */
export const glueOperations = (tables: GlueTables): Operations => ({
  'AWSGlue.GetTable': operation({
    action: 'glue:GetTable',
    input: ofTable,
    resource: ({ DatabaseName, Name }) => glueTableArn(DatabaseName, Name),
    run: ({ DatabaseName, Name }) => ({ Table: tableOutput(tables.get(DatabaseName, Name)) }),
  }),

  'AWSGlue.GetTables': operation({
    action: 'glue:GetTables',
    input: inDatabase.extend({ NextToken: z.string().optional(), MaxResults: z.int().max(100).optional() }),
    resource: ({ DatabaseName }) => glueTableArn(DatabaseName, '*'),
    run: ({ DatabaseName, NextToken, MaxResults = PAGE_SIZE }) => {
      const start = Number(NextToken ?? 0)
      if (!Number.isSafeInteger(start)) throw new ServiceError('InvalidInputException', 'Invalid token')
      const all = tables.list(DatabaseName)
      const end = start + MaxResults
      return {
        TableList: all.slice(start, end).map(tableOutput),
        ...(end < all.length && { NextToken: String(end) }),
      }
    },
  }),

  'AWSGlue.CreateTable': operation({
    action: 'glue:CreateTable',
    input: inDatabase.extend({ TableInput: tableInput }),
    resource: ({ DatabaseName, TableInput }) => glueTableArn(DatabaseName, TableInput.Name),
    run: ({ DatabaseName, TableInput }) => tables.create(DatabaseName, TableInput),
  }),

  'AWSGlue.UpdateTable': operation({
    action: 'glue:UpdateTable',
    input: inDatabase.extend({
      TableInput: tableInput,
      VersionId: z.string().optional(),
      SkipArchive: z.boolean().optional(),
    }),
    resource: ({ DatabaseName, TableInput }) => glueTableArn(DatabaseName, TableInput.Name),
    run: ({ DatabaseName, TableInput, VersionId }) => tables.update(DatabaseName, TableInput, VersionId),
  }),

  'AWSGlue.DeleteTable': operation({
    action: 'glue:DeleteTable',
    input: ofTable,
    resource: ({ DatabaseName, Name }) => glueTableArn(DatabaseName, Name),
    run: ({ DatabaseName, Name }) => tables.delete(DatabaseName, Name),
  }),
})
