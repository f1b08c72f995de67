import pMap from 'p-map'
import { shortDigest } from '../../digests.ts'
import type { Configuration } from '../configurations/configuration.ts'
import type { ConfigurationStore } from '../configurations/configuration-store.ts'
import { compareBranches, type Difference } from '../configurations/merge-branch.ts'
import type { UsedComponents } from '../configurations/used-components.ts'
import { defaultBranchId } from '../db/branch-id.ts'

const READS_AT_ONCE = 8

export interface BranchChange extends Difference {
  componentId: string
  source: Configuration
}

/** What a branch has changed in its configurations since it got them, by component and id. */
export const branchChanges = async (
  branchId: number,
  componentIds: readonly string[],
  { configurations, usedComponents }: { configurations: ConfigurationStore; usedComponents: UsedComponents },
): Promise<BranchChange[]> => {
  const used = await usedComponents.of(componentIds.map(id => ({ id })))
  const perComponent = await pMap(
    used,
    async ({ id: componentId }) => {
      const all = await configurations.list(branchId, componentId)
      return pMap(
        all,
        async (source): Promise<BranchChange> => {
          const place = { branchId: defaultBranchId, componentId, configId: source.id }
          const first =
            source.current.version === 1
              ? source.current
              : await configurations.history.entry(source.internalId, 1)
          const target = await configurations.get(place)
          return { componentId, source, ...compareBranches(source, first?.changed, target) }
        },
        { concurrency: READS_AT_ONCE },
      )
    },
    { concurrency: 1 },
  )
  return perComponent.flat().filter(({ kind }) => kind !== 'same')
}

/** Of these changes those that cannot be merged, in the words that clients show. */
export const conflictsOf = (changes: readonly BranchChange[]) =>
  changes
    .filter(({ kind }) => kind === 'conflict')
    .map(({ componentId, source, target }) => {
      const devBranchVersionIdentifier = source.current.changed.identifier
      const defaultBranchVersionIdentifier = target?.current.changed.identifier ?? null
      return {
        message:
          `Configuration "${source.id}" for component "${componentId}" in the dev branch is not based on the latest ` +
          `version from the default branch. Version identifier in the dev branch: "${devBranchVersionIdentifier}". ` +
          `Version identifier in the default branch: "${defaultBranchVersionIdentifier ?? ''}". Rebase it, or reset it to the default branch, and merge again.`,
        componentId,
        configurationId: source.id,
        isDeleted: source.current.content.isDeleted,
        devBranchVersionIdentifier,
        defaultBranchVersionIdentifier,
      }
    })

/** Names a version of the branch's configuration: what is approved, and what is merged later. */
export const digestOfChange = ({ componentId, source }: BranchChange): string =>
  shortDigest(JSON.stringify([componentId, source.id, source.current.changed.identifier]), 22)
