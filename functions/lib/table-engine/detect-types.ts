import { rm } from 'node:fs/promises'
import { sanitizeColumnName } from './csv/column-names.ts'
import { readParquet } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { LoadRequest } from './files/load-request.ts'
import { emptySnapshot } from './files/snapshot.ts'
import { columnFlags, joinFlags, type TypeFlags, typeOfFlags } from './queries/detect-columns.ts'
import { readSource } from './read-source.ts'
import { cellsOf } from './source-columns.ts'
import { stageChunk } from './stage-chunk.ts'
import type { FileColumn } from './types/field-type.ts'

const FIELD_TYPES = {
  BOOLEAN: 'boolean',
  BIGINT: 'long',
  DOUBLE: 'double',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
} as const

/** Whether a load asks for the types that its values show: where it makes the table, or replaces all of its rows. */
export const detectsTypes = ({ source, current, incremental, inferredColumns = [] }: LoadRequest): boolean =>
  source.types === 'detect' && (current === undefined || (!incremental && inferredColumns.length > 0))

/** The types that all values of a source show, column by column. Undefined: the file says its own. */
export const detectTypes = async (
  context: EngineContext,
  request: LoadRequest,
): Promise<FileColumn[] | undefined> => {
  const { session } = context
  const opened = await readSource(context, request)
  try {
    if (opened.types) return undefined
    const { source } = opened
    const { importedColumns } = opened.mapping
    await session.fitTo(importedColumns.length)
    const found: TypeFlags[] = []
    let part = 0
    for await (const chunk of opened.chunks) {
      const staged = await stageChunk(session, {
        chunk,
        source,
        columns: cellsOf(emptySnapshot(importedColumns, []), { importedColumns }),
        loadedAt: request.loadedAt,
        isKeyed: false,
        name: `detect-${++part}`,
      })
      const flags = await columnFlags(session, importedColumns, readParquet([staged.path]))
      for (const [index, each] of flags.entries()) found[index] = joinFlags(found[index] ?? each, each)
      await rm(staged.path, { force: true })
    }
    const texts = new Set(request.source.textColumns?.map(sanitizeColumnName))
    return importedColumns.map((column, index): FileColumn => {
      const named = texts.has(column) ? undefined : typeOfFlags(found[index] ?? [])
      return { type: named ? FIELD_TYPES[named] : 'string', named: named ?? 'VARCHAR' }
    })
  } finally {
    await opened.close()
  }
}
