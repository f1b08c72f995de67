import type { DurableFiles } from '../durable/durable-files.ts'
import type { DataDir } from './data-dir.ts'
import type { TlsOptions } from './lambda/protocol.ts'
import type { Assembly } from './template/assembly.ts'

export interface RunStackOptions {
  readonly dataDir: DataDir
  readonly assembly: Assembly
  readonly apiPort: number
  readonly s3Port: number
  readonly bind: string
  readonly tls?: TlsOptions | undefined
  readonly token: string | undefined
  readonly files: DurableFiles
  readonly log: (line: string) => void
}
