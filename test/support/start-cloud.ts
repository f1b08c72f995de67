import {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from '../../local/runtime/embedded-cloud.ts'
import { rightsOfTemplate } from './rights-of-template.ts'

/** An embedded cloud whose functions may do what the roles of the template allow, and nothing else. */
export const startCloud = (options: EmbeddedCloudOptions): Promise<EmbeddedCloud> =>
  startEmbeddedCloud({ rightsOf: rightsOfTemplate(options.context), ...options })
