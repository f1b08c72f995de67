import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { descriptionMetadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import {
  refuseReferencedColumn,
  withAliasColumn,
  withoutAliasColumn,
} from '../../lib/storage/tables/aliases/alias-rules.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { changeDefinition } from '../../lib/storage/tables/change-definition.ts'
import {
  columnNotFound,
  findTypedColumn,
  refuseColumn,
  refuseColumnDelete,
  refuseInvalidColumnNames,
  refuseTypedColumn,
} from '../../lib/storage/tables/table-columns.ts'
import { tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { checkTableName, refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { MAX_COLUMNS, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { columnNames, isTypedTable } from '../../lib/table-engine/files/snapshot.ts'
import { keyNames } from '../../lib/wire/primary-key.ts'
import { findBucket, findOwnTable, findTable, requireSource } from '../find/find-table.ts'
import { flag, listOf, text, textList } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { refuseTooManyMetadata } from '../metadata/store-metadata.ts'
import {
  columnFields,
  hasType,
  type RequestedColumn,
  readColumn,
  refuseUnknownKeyColumns,
} from './column-definition.ts'

export const routes = routesOf('tables')

/**
 * Creates an empty table with typed columns, by a job `tableDefinitionCreate`. Without any type it is an untyped table.
 */
routes.post('/v2/storage/buckets/{bucketId}/tables-definition', {
  summary: 'Create an empty table with typed columns',
  body: z.object({
    name: text({ max: 300 }).optional(),
    displayName: text({ max: 300 }).optional(),
    primaryKeysNames: textList({ itemMax: 255 }).default([]),
    columns: listOf(z.object(columnFields), { max: MAX_COLUMNS }).default([]),
  }),
  validationCode: 'storage.tables.validation',
  replies: { 202: 'The job `tableDefinitionCreate`', 404: 'There is no such bucket' },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { body } = request
    const primaryKeysNames = keyNames(body.primaryKeysNames)
    const { name, displayName } = checkTableName(body)
    const isTyped = body.columns.some(hasType)
    const columns = body.columns
      .map(column => ({ ...column, name: sanitizeColumnName(column.name) }))
      .map(column => readColumn(column, services, { isKey: primaryKeysNames.includes(column.name) }))
    const names = columns.map(column => column.name)
    if (names.length === 0)
      throw new UserError('storage.tables.validation.noColumns', 'A table needs at least one column.')
    refuseInvalidColumnNames(names)
    refuseUnknownKeyColumns(primaryKeysNames, names)
    const definition = { primaryKeysNames, columns }
    const tableId = `${bucketId}.${name}`
    return submitJob(request, services, {
      input: { operationName: 'tableDefinitionCreate', bucketId, name, displayName, definition, isTyped },
      queueTableId: tableId,
      admit: async () => {
        await findBucket(services, bucketId)
        if (await services.tables.getHead(tableId)) throw tableAlreadyExists(name, displayName)
        await refuseTakenName({ bucketId, name, displayName }, services.tables)
        return { params: { name, ...definition }, queue: 'main' }
      },
    })
  },
})

/**
 * Adds a column, empty in every row. For a typed table, with its definition. A name is made valid in the same way as
 * those of a file's header; the job and its event say so. An alias shows one more column of its source.
 */
routes.post('/v2/storage/tables/{tableId}/columns', {
  summary: 'Add a column to a table',
  // An empty name is refused like every other that a column cannot have.
  body: z.object({ ...columnFields, name: text({ max: 255 }) }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableColumnAdd`',
    400: '`storage.tables.columnAlreadyExists`, `storage.tables.invalidColumnName`, or the type does not fit the table',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { name: requestedName } = request.body
    const name = sanitizeColumnName(requestedName)
    const definition = readColumn({ ...request.body, name }, services)
    const renamed = name === requestedName ? {} : { requestedName }
    return submitJob(request, services, {
      input: {
        operationName: 'tableColumnAdd',
        tableId,
        name,
        ...renamed,
        definition,
      },
      admit: async () => {
        const table = await findTable(services, tableId)
        requireSource(request.caller, table)
        refuseNewColumn(table, name)
        if (isAliased(table)) return { name, ...renamed }
        checkTypes(table, request.body)
        if (isTypedTable(table.snapshot)) refuseTypedColumn(table, definition)
        return { name, ...renamed, ...(hasType(request.body) && { definition: definition.definition }) }
      },
    })
  },
})

const refuseNewColumn = (table: TableHead, name: string): void => {
  if (isAliased(table)) withAliasColumn(table, name)
  else refuseColumn(table, name)
}

/** A typed table needs a type for each column. An untyped one has no place for it. Error: 400 `storage.tables.validation`. */
const checkTypes = (table: TableHead, column: RequestedColumn): void => {
  if (isTypedTable(table.snapshot)) {
    if (hasType(column)) return
    throw new UserError('storage.tables.validation', 'Column "definition" or "basetype" must be set.')
  }
  if (!hasType(column)) return
  const field = column.definition === undefined ? 'basetype' : 'definition'
  throw new UserError(
    'storage.tables.validation',
    `Invalid parameters - ${field}: This field was not expected.`,
  )
}

/**
 * Deletes a column with its values. With `force` also from the aliases that follow the table. An alias shows one column
 * less.
 */
routes.delete('/v2/storage/tables/{tableId}/columns/{column}', {
  summary: 'Delete a column of a table',
  query: z.object({ force: flag().default(false) }),
  replies: {
    202: 'The job `tableColumnDelete`',
    400: '`storage.tables.cannotDeletePrimaryKeyColumn`, `storage.tables.cannotDeleteLastColumn`, `storage.tables.cannotDeleteReferencedColumn`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId, column: name } = request.params
    const { force } = request.query
    return submitJob(request, services, {
      input: { operationName: 'tableColumnDelete', tableId, name, force },
      admit: async () => {
        const table = await findTable(services, tableId)
        requireSource(request.caller, table)
        if (isAliased(table)) withoutAliasColumn(table, name)
        else {
          refuseColumnDelete(table, name)
          await refuseReferencedColumn(table, name, { ...services, force })
        }
        return { name, force }
      },
    })
  },
})

/** PHP clients send `null`, and forms an empty text, for what is not set. */
const unlessUnset = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === null || value === '' ? undefined : value), schema.optional())

const changeFields = {
  length: unlessUnset(text({ max: 100 })),
  nullable: unlessUnset(flag()),
  default: z
    .union([z.null(), z.boolean().transform(String), text({ max: 10_000 })])
    .optional()
    .meta({ type: 'string', example: '0' }),
}

/** An empty default or `null` removes it. */
const changeOf = ({
  length,
  nullable,
  default: given,
}: {
  length?: string | undefined
  nullable?: boolean | undefined
  default?: string | null | undefined
}) => ({
  ...(length !== undefined && { length }),
  ...(nullable !== undefined && { nullable }),
  ...(given !== undefined && { default: given === '' ? null : given }),
})

/**
 * Changes what a column of a typed table allows, by a job `tableColumnDefinitionUpdate`: a longer text, more digits of a
 * number, whether it may be NULL, its default. An empty default or `null` removes it.
 */
routes.put('/v2/storage/tables/{tableId}/columns/{column}/definition', {
  summary: 'Change the definition of a column',
  keepsNull: true,
  body: z.object(changeFields),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableColumnDefinitionUpdate`',
    400: '`storage.tables.validation.cannotUpdateColumn`, `storage.tables.invalidDefaultValueForType`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId, column: name } = request.params
    const change = changeOf(request.body)
    return submitJob(request, services, {
      input: { operationName: 'tableColumnDefinitionUpdate', tableId, name, change },
      admit: async () => {
        changeDefinition(
          findTypedColumn(await findOwnTable(services, tableId), name).column,
          change,
          services.roundsNumbers,
        )
        const { default: wanted, ...kept } = change
        const shown =
          wanted === undefined ? {} : wanted === null ? { removeDefault: true } : { default: wanted }
        return { queue: 'main', columnName: name, columnDefinition: { ...kept, ...shown } }
      },
    })
  },
})

const description = () => text({ max: 100_000 }).nullish()

/**
 * Changes the display name and the description of a table, and what is said of its columns, by one job `tableDefinitionUpdate`. An empty
 * description or `null` removes it. A table without types takes descriptions only.
 */
routes.put('/v2/storage/tables/{tableId}/definition', {
  summary: 'Change the definition of a table',
  keepsNull: true,
  body: z.object({
    displayName: text({ min: 1, max: 300 }).nullish(),
    description: description(),
    columns: listOf(
      z.object({ name: text({ min: 1, max: 255 }), ...changeFields, description: description() }),
    ).nullish(),
    /** Whoever sets a description here is its author, whatever this says. */
    isDescriptionSystemManaged: flag().nullish(),
  }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableDefinitionUpdate`; its results are the table',
    400: '`storage.tables.validation.cannotUpdateColumn`, `storage.tables.invalidDefaultValueForType`, `storage.buckets.tableAlreadyExists`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { body } = request
    const textOf = (given: string | null | undefined) =>
      given === undefined ? {} : { description: given ?? '' }
    const columns = (body.columns ?? []).map(({ name, description: given, ...change }) => ({
      name,
      change: changeOf(change),
      ...textOf(given),
    }))
    return submitJob(request, services, {
      input: {
        operationName: 'tableDefinitionUpdate',
        tableId,
        ...(body.displayName && { displayName: body.displayName }),
        ...textOf(body.description),
        columns,
      },
      admit: async () => {
        const table = await findOwnTable(services, tableId)
        for (const { name, change } of columns)
          if (Object.keys(change).length > 0)
            changeDefinition(findTypedColumn(table, name).column, change, services.roundsNumbers)
          else if (!columnNames(table.snapshot).includes(name)) throw columnNotFound(name)
        if (body.displayName) {
          const { name } = table
          checkTableName({ name, displayName: body.displayName })
          await refuseTakenName({ ...table, displayName: body.displayName }, services.tables)
        }
        const described = [{ name: '', ...textOf(body.description) }, ...columns]
        await refuseTooManyMetadata(
          services,
          metadataSubject.table(table),
          described.flatMap(({ name: column, description: value }) =>
            value ? [{ ...descriptionMetadatum, column, value }] : [],
          ),
        )
        const { displayName, description } = body
        return { queue: 'main', displayName, description, columns: body.columns }
      },
    })
  },
})
