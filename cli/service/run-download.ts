import { z } from 'zod'
import { formatCrc32 } from '../../functions/lib/combine-crc.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { pathInside } from '../../functions/lib/paths/path-inside.ts'
import { quoteIdentifier } from '../../functions/lib/table-engine/duckdb/sql.ts'
import { createApi } from '../connect/api.ts'
import { findStorage, type StorageFlags } from '../connect/find-storage.ts'
import { followJob, succeededOrThrow } from '../connect/follow-job.ts'
import type { Call } from '../shell/command.ts'
import { formatBytes } from '../shell/format-values.ts'
import { printableTo } from '../shell/printable.ts'
import { progressIn } from '../shell/progress.ts'
import { pathIn, type Shell } from '../shell/shell.ts'
import { connectStorage, type StorageConnection } from '../transfer/connect-storage.ts'
import {
  type Download,
  downloadJournal,
  downloadSlices,
  downloadToPath,
  downloadToStream,
} from '../transfer/download-file.ts'
import { formatOfName } from './query-formats.ts'

type DownloadFlags = StorageFlags & {
  output: string | undefined
  gzip: boolean | undefined
  noHeader: boolean | undefined
  slices?: boolean | undefined
}

/** Resolves when all bytes are there. */
export const runDownload = async (
  target: string,
  { flags, shell, out }: Call<DownloadFlags>,
): Promise<void> => {
  const isFile = /^\d+$/.test(target)
  if (!isFile && !target.includes('.'))
    throw new UserError(
      'cli.tableId',
      `"${target}" is no number of a file, nor a table id like in.c-main.orders.`,
    )
  const address = await findStorage(flags, shell)
  const { format = 'csv' } = formatOfName(flags.output ?? '')
  if (!isFile && flags.output !== undefined && format !== 'csv') {
    // Exports are CSV: other formats are the result of a query for all rows.
    const { runQuery } = await import('./run-query.ts')
    const query = { sql: `SELECT * FROM ${quoteIdentifier(target)}`, detectTypes: false }
    const outputPath = pathIn(shell, flags.output)
    return runQuery(query, { format, outputPath }, { api: createApi(address), out, shell })
  }
  const connection = connectStorage(address)
  try {
    const start = performance.now()
    const { path, download } = await runWith(connection, target, isFile, { flags, shell })
    out.say(describe(path, download, (performance.now() - start) / 1000))
  } finally {
    connection.close()
  }
}

const runWith = async (
  connection: StorageConnection,
  target: string,
  isFile: boolean,
  { flags, shell }: Pick<Call<DownloadFlags>, 'flags' | 'shell'>,
) => {
  const { storage } = connection
  const given =
    flags.output ??
    // The uploader chose the name; it must not lead out of this folder.
    pathInside('.', isFile ? (await storage.file(Number(target))).name : tableFileName(target, flags))
  const path = given === '-' ? given : pathIn(shell, given)
  const request = JSON.stringify([flags.url ?? null, target, isCompressed(flags), !flags.noHeader])
  const known = path === '-' || isFile ? undefined : await downloadJournal(path).read()
  const isKnownThere =
    known?.request === request && (await storage.file(known.fileId).then(() => true, ifGone))
  const source = isFile
    ? { fileId: Number(target) }
    : isKnownThere
      ? { fileId: known.fileId, columns: known.columns }
      : await exportTable(connection, target, flags, shell)
  const options = { connection, ...source, startProgress: progressIn(shell) }
  if (path === '-') return { path, download: await downloadToStream(printableTo(shell.stdout), options) }
  const toDisk = flags.slices ? downloadSlices : downloadToPath
  return { path, download: await toDisk(path, request, options) }
}

/** A name that ends in `.gz` asks for it, too. */
const isCompressed = ({ gzip, output = '' }: DownloadFlags): boolean =>
  gzip === true || formatOfName(output).gzip

/** Exports are kept for two days; later the download begins again. */
const ifGone = (error: unknown): boolean => {
  if (error instanceof UserError && error.status === 404) return false
  throw error
}

const tableFileName = (tableId: string, { gzip }: DownloadFlags): string =>
  `${tableId.slice(tableId.lastIndexOf('.') + 1)}.csv${gzip ? '.gz' : ''}`

const exportResults = z.object({ file: z.object({ id: z.coerce.number() }) })

/** Exports a table; resolves to the file with its rows, and the columns for the header. */
const exportTable = async (
  { storage }: StorageConnection,
  tableId: string,
  flags: DownloadFlags,
  shell: Shell,
) => {
  const { columns } = await storage.table(tableId)
  // Names the columns, so that the header fits even when one is added meanwhile.
  const started = await storage.exportTable(
    { tableId, columns, gzip: isCompressed(flags) },
    crypto.randomUUID(),
  )
  const what = `The export of ${tableId}`
  const { results } = succeededOrThrow(await followJob(started, id => storage.job(id), { what, shell }))
  const fileId = exportResults.parse(results).file.id
  return { fileId, columns: flags.noHeader ? undefined : columns }
}

const describe = (
  path: string,
  { bytes, resumedBytes, crc, isVerified }: Download,
  seconds: number,
): string => {
  const resumed = resumedBytes > 0 ? `, of which ${formatBytes(resumedBytes)} were there` : ''
  const checksum = isVerified ? `CRC32 ${formatCrc32(crc)} checked` : 'no checksum to check'
  return `${path}: ${formatBytes(bytes)}${resumed}, ${checksum}, ${seconds.toFixed(1)} s`
}
