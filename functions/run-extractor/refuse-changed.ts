import { UserError } from '../lib/errors/errors.ts'
import { lastAuthorIdOf } from '../lib/storage/tokens/run-author.ts'
import type { Configuration } from '../lib/storage-client/seldom-read.ts'
import type { RunInput } from './event.ts'

/**
 * Between the moment that a run was asked for and the moment that it begins (it may wait for another run for hours) a
 * token of lesser rights may have stored something else. That must not run with the rights of the one who asked.
 *
 * Errors: `extractor.run.scheduleDisarmed`, `extractor.run.configurationChanged`.
 */
export const refuseChanged = (
  { authorTokenId, configVersion, isOwnSchedule }: RunInput,
  configuration: Configuration,
): void => {
  const { version, scheduleDisarmed } = configuration
  if (isOwnSchedule && scheduleDisarmed)
    throw new UserError(
      'extractor.run.scheduleDisarmed',
      `The schedule was disarmed when the token "${scheduleDisarmed.by.description}" stored the configuration.`,
    )
  const isAsSeen = configVersion === undefined || configVersion === version
  if (!isAsSeen && authorTokenId !== undefined && lastAuthorIdOf(configuration) !== authorTokenId)
    throw new UserError(
      'extractor.run.configurationChanged',
      `Another token stored version ${version} of the configuration after the run of version ${configVersion} was ` +
        'asked for. Look at it, and run it again.',
    )
}
