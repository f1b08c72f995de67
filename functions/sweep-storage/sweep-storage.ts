import type { SweepServices } from './services.ts'
import { sweepFileObjects } from './sweep-file-objects.ts'
import { sweepFiles } from './sweep-files.ts'
import { sweepTableObjects } from './sweep-table-objects.ts'

interface Swept {
  /** Files whose age was over. */
  expiredFiles: number
  /** Objects of no file, left by uploads and exports that nobody finished. */
  fileObjects: number
  /** Objects of tables that nothing has named for a day. */
  tableObjects: number
}

/** One sweep. It may be repeated, and stopped at any point; what it leaves the next one finds. */
export const sweepStorage = async (services: SweepServices): Promise<Swept> => ({
  expiredFiles: await sweepFiles(services),
  fileObjects: await sweepFileObjects(services),
  tableObjects: await sweepTableObjects(services),
})
