import {
  AlreadyExistsException,
  ConcurrentModificationException,
  CreateTableCommand,
  DeleteTableCommand,
  EntityNotFoundException,
  GetTableCommand,
  type GlueClient,
  paginateGetTables,
  type Table,
  type TableInput,
  UpdateTableCommand,
} from '@aws-sdk/client-glue'
import { currentSchema } from '../metadata/parse-metadata.ts'
import type { TableMetadata } from '../metadata/table-metadata.ts'
import { isPrimitive, type NestedField } from '../metadata/types.ts'
import { glueColumnName } from './glue-names.ts'
import { nameMissingGrants } from './missing-grant.ts'

/** Iceberg metadata, and where its file lies (`s3://bucket/key`). */
export interface MetadataFile {
  metadata: TableMetadata
  location: string
}

/** A table as Glue has it. */
interface CatalogTable {
  name: string
  /** What a change must name, so that it changes nothing that it has not seen. */
  versionId: string
  /** The metadata file that Glue points to. */
  metadataLocation: string
  parameters: Readonly<Record<string, string>>
}

/** Hive's names of the types, as Iceberg's own catalog for Glue writes them. */
const glueType = ({ type }: NestedField): string => {
  if (!isPrimitive(type)) return type.type
  if (type === 'long') return 'bigint'
  if (type === 'timestamptz') return 'timestamp'
  if (type === 'uuid' || type === 'time') return 'string'
  return type.startsWith('fixed') ? 'binary' : type
}

/** Iceberg documentation, "AWS Integrations": how a table of Iceberg stands in the Glue Data Catalog. */
const tableInput = (
  name: string,
  { metadata, location }: MetadataFile,
  parameters: CatalogTable['parameters'] = {},
): TableInput => ({
  Name: name,
  TableType: 'EXTERNAL_TABLE',
  Parameters: {
    ...parameters,
    table_type: 'ICEBERG',
    ...(parameters['metadata_location'] && {
      previous_metadata_location: parameters['metadata_location'],
    }),
    metadata_location: location,
  },
  StorageDescriptor: {
    Location: metadata.location,
    Columns: currentSchema(metadata).fields.map(field => ({
      Name: glueColumnName(field.name),
      Type: glueType(field),
      Parameters: {
        'iceberg.field.id': String(field.id),
        'iceberg.field.optional': String(!field.required),
        'iceberg.field.current': 'true',
      },
    })),
  },
})

const catalogTable = ({ Name = '', VersionId = '', Parameters = {} }: Table): CatalogTable => ({
  name: Name,
  versionId: VersionId,
  metadataLocation: Parameters['metadata_location'] ?? '',
  parameters: Parameters,
})

/** Tables of one database of the Glue Data Catalog. Each call throws `MissingGrant` when the stack may not make it. */
export const createGlueCatalog = (glue: GlueClient, database: string) => {
  nameMissingGrants(glue)
  return catalogOf(glue, database)
}

const catalogOf = (glue: GlueClient, database: string) => ({
  database,

  async find(name: string): Promise<CatalogTable | undefined> {
    try {
      const { Table } = await glue.send(new GetTableCommand({ DatabaseName: database, Name: name }))
      return Table && catalogTable(Table)
    } catch (error) {
      if (error instanceof EntityNotFoundException) return undefined
      throw error
    }
  },

  async *list(): AsyncGenerator<CatalogTable> {
    for await (const { TableList = [] } of paginateGetTables({ client: glue }, { DatabaseName: database }))
      yield* TableList.map(catalogTable)
  },

  /** Resolves to false when there is a table of that name. */
  async create(name: string, file: MetadataFile): Promise<boolean> {
    try {
      await glue.send(new CreateTableCommand({ DatabaseName: database, TableInput: tableInput(name, file) }))
      return true
    } catch (error) {
      if (error instanceof AlreadyExistsException) return false
      throw error
    }
  },

  /** Points a table that was read to another metadata file. Resolves to false when it has changed since. */
  async move({ name, versionId, parameters }: CatalogTable, file: MetadataFile): Promise<boolean> {
    try {
      await glue.send(
        new UpdateTableCommand({
          DatabaseName: database,
          TableInput: tableInput(name, file, parameters),
          VersionId: versionId,
          // Glue keeps a limited number of versions of all tables, and Iceberg has its own history.
          SkipArchive: true,
        }),
      )
      return true
    } catch (error) {
      if (error instanceof ConcurrentModificationException || error instanceof EntityNotFoundException)
        return false
      throw error
    }
  },

  /** The objects stay. A table that is gone already is no error. */
  async drop(name: string): Promise<void> {
    try {
      await glue.send(new DeleteTableCommand({ DatabaseName: database, Name: name }))
    } catch (error) {
      if (!(error instanceof EntityNotFoundException)) throw error
    }
  },
})

export type GlueCatalog = ReturnType<typeof createGlueCatalog>
