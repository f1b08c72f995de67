import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import type { TableManifest } from '../lib/extractor/tables/write-tables.ts'
import { isFileName } from '../lib/paths/path-inside.ts'
import { isTableIdForLoad } from '../lib/wire/storage-ids.ts'

/** Absent and `null` are the same to the clients that write configurations. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined)

/** What a table is called in `in/tables`; a manifest beside it has nine characters more. */
const inputFile = z.string().refine(name => isFileName(name, 240), 'not the name of a file')

/** One table of `storage.input.tables`: what of it comes, and under which name. */
const inputMapping = z
  .looseObject({
    source: inputFile, // also the file's name when no destination is given
    destination: optional(inputFile),
    columns: optional(z.array(z.string())),
    changed_since: optional(z.union([z.string(), z.number()])),
    where_column: optional(z.string()),
    where_operator: optional(z.string()),
    where_values: optional(z.array(z.coerce.string())),
    where_filters: optional(z.array(z.unknown())),
    limit: optional(z.coerce.number().int().min(0)),
  })
  .refine(({ changed_since }) => changed_since !== 'adaptive', {
    path: ['changed_since'],
    error: '"adaptive" is not supported: give a time such as "-1 day"',
  })

export type InputMapping = z.output<typeof inputMapping>

/** One table of `storage.output.tables`: it wins over what the table's manifest says. */
const outputMapping = z
  .looseObject({
    source: z.string().min(1),
    destination: z.string().refine(isTableIdForLoad, 'not a table id'),
    primary_key: optional(z.array(z.string())),
    incremental: optional(z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)])),
  })
  // Passed over, they would leave rows that were to go.
  .refine(({ delete_where_column }) => !delete_where_column, {
    path: ['delete_where_column'],
    error: 'rows cannot be deleted by an output mapping here',
  })

type OutputMapping = z.output<typeof outputMapping>

const tables = <Schema extends z.ZodType>(mapping: Schema) =>
  z.looseObject({ tables: z.array(mapping).default([]) }).default({ tables: [] })

const storageNode = z.looseObject({
  storage: z.looseObject({ input: tables(inputMapping), output: tables(outputMapping) }).optional(),
})

interface StorageMapping {
  inputs: InputMapping[]
  outputs: OutputMapping[]
}

/** The mapping in a merged configuration. Throws `UserError` `extractor.run.mapping` that names each field that is wrong. */
export const readStorageMapping = (configuration: Record<string, unknown>): StorageMapping => {
  const parsed = storageNode.safeParse(configuration)
  if (!parsed.success)
    throw new UserError(
      'extractor.run.mapping',
      `The input or output mapping is not valid:\n${z.prettifyError(parsed.error)}`,
    )
  const { storage } = parsed.data
  return { inputs: storage?.input.tables ?? [], outputs: storage?.output.tables ?? [] }
}

interface OutputTarget extends Omit<TableManifest, 'destination'> {
  tableId: string
}

interface OutputTargetOptions {
  /** Name of the file in `out/tables`. */
  file: string
  manifest: TableManifest
  mappings: readonly OutputMapping[]
  componentId: string
  configId: string
}

/**
 * The table that a file goes to, and how: the output mapping, else the manifest, else the configuration's own bucket
 * `in.c-<component>-<configuration>`.
 *
 * Throws `UserError` `extractor.run.destination` when what comes out is not the id of a table.
 */
export const outputTarget = (options: OutputTargetOptions): OutputTarget => {
  const { file, manifest, mappings } = options
  const mapping = mappings.find(({ source }) => source === file || source === `${file}.csv`)
  const tableId = mapping?.destination ?? manifest.destination ?? defaultTableId(options)
  if (!isTableIdForLoad(tableId))
    throw new UserError(
      'extractor.run.destination',
      `The table "${file}" cannot be loaded: "${tableId}" is not the id of a table. Name its destination in storage.output.tables.`,
    )
  const mapped = mapping?.primary_key ?? []
  return {
    tableId,
    // An empty list is what editors write for "not set"
    primaryKey: mapped.length > 0 ? mapped : manifest.primaryKey,
    incremental: mapping?.incremental ?? manifest.incremental,
    types: manifest.types,
    textColumns: manifest.textColumns,
  }
}

const defaultTableId = ({ file, componentId, configId }: OutputTargetOptions): string => {
  const name = (text: string) => text.replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  return `in.c-${name(componentId)}-${name(configId)}.${file.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`
}
