import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import pMap from 'p-map'
import type { EngineContext } from '../files/engine-context.ts'
import { publishSlice, type SliceForm, writeRows } from '../files/export-slice.ts'
import type { ObjectAddress } from '../files/table-files.ts'
import type { ExportResult } from '../rows/export-request.ts'

const SORTED_SLICE_BYTES = 16 * 1024 * 1024

/** Writes rows in the order of `select` to slices, which have that order too. No slice when there are no rows. */
export const writeSortedSlices = async (
  { session, files, threads }: EngineContext,
  { select, ...form }: SliceForm & { select: string; target: ObjectAddress },
): Promise<ExportResult> => {
  const folder = session.scratchPath('sorted')
  await mkdir(folder)
  const rowsCount = await writeRows(session, {
    path: folder,
    fileType: form.fileType,
    select,
    // A single thread writes one file after the other, so their numbers follow the order of the rows.
    options: [`FILE_SIZE_BYTES ${SORTED_SLICE_BYTES}`],
  })
  if (rowsCount === 0) return { slices: [], rowsCount }
  const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0])
  const names = (await readdir(folder)).toSorted((a, b) => numberOf(a) - numberOf(b))
  const slices = await pMap(
    names,
    (name, index) => publishSlice(files, { ...form, path: path.join(folder, name), index }),
    { concurrency: threads + 1 },
  )
  return { slices, rowsCount }
}
