import { componentConfig } from '../lib/extractor/config/component-config.ts'
import type { Run } from './run.ts'
import type { RunServices } from './services.ts'

/** What a row works with. Its secrets are open only in `opened`, and only in memory. */
export const openRow = async (run: Run, { runs, openSecrets }: Pick<RunServices, 'runs' | 'openSecrets'>) => {
  const { configuration, state, imageParameters, adoptedSecrets } = await runs.snapshotOfRow(run)
  const sealed = componentConfig(configuration, imageParameters)
  const { componentId, configId } = run
  const reader = { componentId, configId, adoptedSecrets }
  const opened = (await openSecrets(sealed, reader)) as Record<string, unknown> // maps objects to objects
  return { configuration, state, sealed, reader, opened }
}
