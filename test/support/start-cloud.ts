import {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from '../../local/runtime/embedded-cloud.ts'
import { rightsOfTemplate } from './rights-of-template.ts'
import { hostWithin } from './within-rights.ts'

/** An embedded cloud whose functions may do what the roles of the template allow, and nothing else. */
export const startCloud = (options: EmbeddedCloudOptions): Promise<EmbeddedCloud> => {
  const rightsOf = rightsOfTemplate(options.context)
  return startEmbeddedCloud({ rightsOf, hostFor: hostWithin(rightsOf), ...options })
}
