import { join } from 'node:path'
import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecords } from '../../durable/records.ts'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { account, arn } from '../resources/resource-type.ts'

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

const column = z.strictObject({
  Name: z.string().min(1).max(255),
  Type: z.string().max(131_072),
  Comment: z.string().optional(),
  Parameters: z.record(z.string(), z.string()).optional(),
})

/** Glue API Reference, "TableInput": what a table of Iceberg needs. */
const tableInput = z.strictObject({
  // Glue stores names in lower case; a caller that does not know would miss its table later.
  Name: z.string().regex(/^[a-z0-9_]{1,255}$/, 'must be lower case, digits and underscores'),
  TableType: z.literal('EXTERNAL_TABLE'),
  Parameters: z
    .record(z.string(), z.string())
    .refine(
      ({ table_type, metadata_location }) => table_type === 'ICEBERG' && metadata_location,
      'must have table_type=ICEBERG and metadata_location',
    ),
  StorageDescriptor: z.strictObject({
    Location: z.string().startsWith('s3://'),
    Columns: z
      .array(column)
      .refine(columns => new Set(columns.map(({ Name }) => Name.toLowerCase())).size === columns.length, {
        error: 'two columns have one name',
      }),
  }),
})

type TableInput = z.infer<typeof tableInput>

const storedTable = z.strictObject({
  database: z.string(),
  versionId: z.number(),
  createTime: z.number(),
  updateTime: z.number(),
  input: tableInput,
})

type StoredTable = z.infer<typeof storedTable>

const notFound = () => new ServiceError('EntityNotFoundException', 'Entity Not Found')

/** The databases of the template and their tables, each table a file of the data directory. */
export class GlueTables {
  readonly #folder: string
  readonly #files: DurableFiles
  readonly #databases: ReadonlySet<string>
  readonly #tables: Map<string, StoredTable>
  /** Changes of one process come one after the other: Glue decides between two that name the same version. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(
    folder: string,
    files: DurableFiles,
    databases: readonly string[],
    tables: readonly StoredTable[],
  ) {
    this.#folder = folder
    this.#files = files
    this.#databases = new Set(databases)
    this.#tables = new Map(tables.map(table => [idOf(table.database, table.input.Name), table]))
  }

  static async open(
    folder: string,
    databases: readonly string[],
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<GlueTables> {
    await files.makeFolder(folder)
    return new GlueTables(folder, files, databases, await readRecords(files, folder, storedTable, log))
  }

  #checkDatabase(database: string): void {
    if (!this.#databases.has(database)) throw notFound()
  }

  get(database: string, name: string): StoredTable {
    this.#checkDatabase(database)
    const table = this.#tables.get(idOf(database, name))
    if (!table) throw notFound()
    return table
  }

  /** By name. */
  list(database: string): StoredTable[] {
    this.#checkDatabase(database)
    return [...this.#tables.values()]
      .filter(table => table.database === database)
      .sort((a, b) => (a.input.Name < b.input.Name ? -1 : 1))
  }

  create(database: string, input: TableInput): Promise<void> {
    return this.#inOrder(async () => {
      this.#checkDatabase(database)
      if (this.#tables.has(idOf(database, input.Name)))
        throw new ServiceError('AlreadyExistsException', 'Table already exists.')
      const now = Date.now()
      await this.#store({ database, versionId: 0, createTime: now, updateTime: now, input })
    })
  }

  update(database: string, input: TableInput, versionId: string | undefined): Promise<void> {
    return this.#inOrder(async () => {
      const table = this.get(database, input.Name)
      if (versionId !== undefined && versionId !== String(table.versionId))
        throw new ServiceError(
          'ConcurrentModificationException',
          `Update table failed due to concurrent modifications: the version is ${table.versionId}, not ${versionId}.`,
        )
      await this.#store({ ...table, input, versionId: table.versionId + 1, updateTime: Date.now() })
    })
  }

  delete(database: string, name: string): Promise<void> {
    return this.#inOrder(async () => {
      this.get(database, name)
      await this.#files.remove(this.#path(database, name))
      this.#tables.delete(idOf(database, name))
    })
  }

  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {}) // The caller hears of it.
    return result
  }

  async #store(table: StoredTable): Promise<void> {
    await this.#files.writeWhole(this.#path(table.database, table.input.Name), JSON.stringify(table))
    this.#tables.set(idOf(table.database, table.input.Name), table)
  }

  #path(database: string, name: string): string {
    const digest = hexDigest(idOf(database, name))
    return join(this.#folder, `${digest.slice(0, 32)}.json`)
  }
}

const idOf = (database: string, name: string): string => `${database}/${name}`
