import { UserError } from '../lib/errors/errors.ts'
import { isTableIdForLoad } from '../lib/storage/storage-ids.ts'
import type { OutputMapping } from './storage-mapping.ts'

/** Manifest beside a table in `out/tables` (docs/reference/extractor-tables.md#files). */
interface TableManifest {
  destination?: string | undefined
  primaryKey: string[]
  incremental: boolean
}

interface OutputTarget {
  tableId: string
  primaryKey: string[]
  incremental: boolean
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
  }
}

const defaultTableId = ({ file, componentId, configId }: OutputTargetOptions): string => {
  const name = (text: string) => text.replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  return `in.c-${name(componentId)}-${name(configId)}.${file.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`
}
