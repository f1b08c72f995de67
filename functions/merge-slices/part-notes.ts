import { randomUUID } from 'node:crypto'
import pMap from 'p-map'
import type { StoredPart } from '../lib/aws/multipart/multipart-upload.ts'
import { lackChecksums, withNotedChecksums } from '../lib/aws/multipart/noted-checksums.ts'
import { partsRecord } from './plan-records.ts'
import type { WorkPlace } from './work-place.ts'

const FOLDER = 'made/'
const READS_IN_PARALLEL = 16

/** Keeps what S3 answered to the parts of one attempt. Each note has a name of its own: none replaces another's. */
export const noteParts = async (work: WorkPlace, parts: readonly StoredPart[]): Promise<void> => {
  if (parts.length > 0) await work.write(`${FOLDER}${randomUUID()}.json`, { parts })
}

/**
 * The parts with the checksums that were noted, where S3 lists none. One whose function died before its note stays
 * without: S3 has checked it when it came, and works out the checksum of the whole.
 */
export const withNotes = async (work: WorkPlace, listed: readonly StoredPart[]): Promise<StoredPart[]> => {
  if (!lackChecksums(listed)) return [...listed]
  const names = [...(await work.list(FOLDER)).keys()]
  const notes = await pMap(names, name => work.read(name, partsRecord), { concurrency: READS_IN_PARALLEL })
  return withNotedChecksums(
    listed,
    notes.flatMap(note => note?.parts ?? []),
  )
}
