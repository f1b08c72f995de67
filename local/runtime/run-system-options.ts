import type { StackConfig } from '../../infra/stack-config.ts'
import type { DurableFiles } from '../durable/durable-files.ts'
import type { DataDir } from './data-dir.ts'
import type { TlsOptions } from './lambda/protocol.ts'
import type { HostFor, RightsOf } from './rights.ts'

export interface RunSystemOptions {
  readonly dataDir: DataDir
  readonly config: StackConfig
  /** Folder of the functions' bundles. */
  readonly bundles: string
  /** Default: see `rightsOn`. */
  readonly rightsOf?: RightsOf | undefined
  /** See `EmbeddedCloudOptions`. */
  readonly hostFor?: HostFor | undefined
  readonly apiPort: number
  readonly s3Port: number
  readonly bind: string
  readonly tls?: TlsOptions | undefined
  readonly token: string | undefined
  readonly files: DurableFiles
  readonly log: (line: string) => void
}
