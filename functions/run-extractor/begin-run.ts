import { UserError } from '../lib/errors/errors.ts'
import { mergeConfiguration } from '../lib/storage/configurations/merge-configuration.ts'
import { lastAuthorIdOf, type RunAuthor } from '../lib/storage/tokens/run-author.ts'
import type { Configuration, StorageClient } from '../lib/storage-client/storage-client.ts'
import type { RunInput } from './event.ts'
import { enterRow, type RowOfRun, type Run, type RunFailure, type Snapshot } from './run.ts'

/** The run of a configuration as it is now, and what its rows work with. */
export const beginRun = async (
  begun: BegunRun & { configuration: Configuration },
  { storage, now }: { storage: StorageClient; now: () => Date },
): Promise<{ run: Run; snapshot: Snapshot }> => {
  const { configuration, input } = begun
  const imageParameters = await imageParametersOf(input.componentId, storage)
  const units = unitsOf(configuration)
  const rows = units.map(unit => ({ ...newRow(unit), hasInputs: 'storage' in unit.configuration }))
  const { adoptedSecrets } = configuration
  return {
    run: newRun({ ...begun, rows }, now()),
    snapshot: { rows: units, imageParameters, adoptedSecrets },
  }
}

interface Unit {
  id: string | null
  name: string
  configuration: Record<string, unknown>
  state: Record<string, unknown>
}

/**
 * What runs, in order (docs/reference/storage-api.md#how-rows-run): without rows the root configuration with its
 * state; with rows each that is not disabled, merged with the root, with a state of its own.
 */
const unitsOf = ({ name, configuration, state, rows }: Configuration): Unit[] =>
  rows.length === 0
    ? [{ id: null, name, configuration, state }]
    : rows
        .filter(({ isDisabled }) => !isDisabled)
        .map(row => ({
          id: row.id,
          name: row.name ?? '',
          configuration: mergeConfiguration(configuration, row.configuration),
          state: row.state,
        }))

/** What the operator of the service set for the component: its allowed hosts, for one. */
const imageParametersOf = async (
  componentId: string,
  storage: StorageClient,
): Promise<Record<string, unknown>> => {
  const component = await storage.component(componentId).catch((error: unknown) => {
    // Services differ in who may read the dictionary of components; the configuration itself was found.
    if (error instanceof UserError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  })
  const given = component?.data['image_parameters']
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {}
}

interface BegunRun {
  runId: string
  input: RunInput
  /** As it was when the authors' rights were looked up: what runs, and in whose rights, belong together. */
  configuration?: Configuration
  authors?: RunAuthor[]
  rows?: RowOfRun[]
  /** Why it never begins. */
  error?: RunFailure
}

/** A run at its first row, or at its end when it has none. */
export const newRun = (
  { runId, input, configuration, authors = [], rows = [], error }: BegunRun,
  at: Date,
): Run => {
  const { componentId, configId, branchId, trigger = null } = input
  const run = {
    id: runId,
    componentId,
    configId,
    configVersion: configuration?.version ?? 0,
    ...(branchId !== undefined && { branchId }),
    trigger,
    authors,
    continueOnFailure: configuration?.configuration['continueOnFailure'] === true,
    startedAt: at.toISOString(),
    rows,
    ...(error && { error }),
  }
  return enterRow(run, 0, at)
}

/** A row that has done nothing yet. */
export const newRow = ({ id, name }: Pick<RowOfRun, 'id' | 'name'>): RowOfRun => ({
  id,
  name,
  status: 'waiting',
  hasInputs: false,
  tables: [],
  rowsLoaded: 0,
  requests: 0,
  seconds: 0,
  legs: 0,
  warnings: [],
  jobs: [],
})

/**
 * Between the moment that a run was asked for and the moment that it begins (it may wait for another run for hours) a
 * token of lesser rights may have stored something else. That must not run with the rights of the one who asked.
 *
 * Error: `extractor.run.configurationChanged`.
 */
export const refuseChanged = (
  { authorTokenId, configVersion }: RunInput,
  configuration: Configuration,
): void => {
  const { version } = configuration
  const isAsSeen = configVersion === undefined || configVersion === version
  if (!isAsSeen && authorTokenId !== undefined && lastAuthorIdOf(configuration) !== authorTokenId)
    throw new UserError(
      'extractor.run.configurationChanged',
      `Another token stored version ${version} of the configuration after the run of version ${configVersion} was ` +
        'asked for. Look at it, and run it again.',
    )
}
