import type { ApiServer } from '../functions/lib/extractor/api-server.ts'
import type { Book } from './book.ts'
import type { CloudProcess } from './cloud-process.ts'

/** What a step works with. */
export interface StepContext {
  readonly cloud: CloudProcess
  readonly book: Book
  /** The API that extractions read. */
  readonly shop: ApiServer
  readonly dataDir: string
}
