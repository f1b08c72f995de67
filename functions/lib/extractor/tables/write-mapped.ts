import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import { csvLine } from '../values/php/cell.ts'
import type { MappedTable } from './mapped-tables.ts'
import type { WrittenTable } from './sink-types.ts'
import { type Output, removeTables, tableFile } from './table-file.ts'

/**
 * Writes mapped tables after the automatic ones in `written`. Rows of one table name come together, those of mappings
 * first, as in Generic Extractor.
 * @throws UserError `extractor.tables.differentColumns` when two of one name have other columns
 */
export const writeMapped = async (
  mapped: readonly MappedTable[],
  automatic: readonly WrittenTable[],
  output: Output,
): Promise<WrittenTable[]> => {
  const written = new Map<string, WrittenTable>()
  const isTaken = new Map(automatic.map(table => [table.name, table]))
  try {
    for (const table of mapped) {
      const known = written.get(table.name)
      if (known !== undefined) await appendTo(known, table)
      else written.set(table.name, await writeNew(table, isTaken.get(table.name), output))
    }
  } catch (error) {
    await removeTables([...written.values(), ...automatic])
    throw error
  }
  return [...written.values(), ...automatic.filter(table => !written.has(table.name))]
}

const writeNew = async (
  table: MappedTable,
  automatic: WrittenTable | undefined,
  output: Output,
): Promise<WrittenTable> => {
  const { name, columns, primaryKey, type, rows } = table
  const file = tableFile(output, name)
  const temporary = `${file}.part`
  const result = { name, file, columns, primaryKey, types: [type, ...(automatic?.types ?? [])], rows }
  const out = await open(temporary, 'w')
  try {
    const header = csvLine(columns)
    await out.write(header)
    if (table.file !== undefined) await copyInto(out, table.file, 0)
    if (automatic !== undefined) {
      checkColumns(name, columns, automatic.columns)
      await copyInto(out, automatic.file, Buffer.byteLength(header))
      result.rows += automatic.rows
    }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await out.close()
  }
  await rename(temporary, file)
  return result
}

const appendTo = async (known: WrittenTable, { columns, file, type, rows }: MappedTable): Promise<void> => {
  checkColumns(known.name, known.columns, columns)
  known.types.push(type)
  if (file === undefined) return
  const out = await open(known.file, 'a')
  try {
    await copyInto(out, file, 0)
  } finally {
    await out.close()
  }
  known.rows += rows
}

const checkColumns = (name: string, columns: readonly string[], others: readonly string[]): void => {
  if (columns.length === others.length && columns.every((column, i) => column === others[i])) return
  throw new UserError(
    'extractor.tables.differentColumns',
    `Multiple results for '${name}' table have different columns!`,
    { params: { table: name, differentColumns: columns.filter(column => !others.includes(column)) } },
  )
}

const copyInto = async (out: FileHandle, file: string, start: number): Promise<void> => {
  for await (const chunk of createReadStream(file, { start, highWaterMark: 1 << 20 })) await out.write(chunk)
}
