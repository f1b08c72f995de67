import { UserError } from '../../errors/errors.ts'
import type { ExtractorConfig } from './parse-config.ts'

/** What a configuration may ask for and we do not do. */
export const refuseUnsupported = (file: ExtractorConfig['file']): void => {
  const { sshProxy } = file.parameters
  if (sshProxy !== undefined && sshProxy !== null) {
    throw new UserError('extractor.config.sshProxy', 'SSH tunnels ("parameters.sshProxy") are not supported.')
  }
  if (file.action !== undefined && file.action !== 'run') {
    throw new UserError(
      'extractor.config.action',
      `The action "${file.action}" is not supported, only "run".`,
    )
  }
}
