import pMap from 'p-map'
import { z } from 'zod'
import type { BranchStore } from '../branches/branch-store.ts'
import { defaultBranchId } from '../branches/branch-store.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'
import type { ConfigurationStore } from './configuration-store.ts'

const PARTITION = 'COMPONENTS'
const LOOKED_FOR = { pk: `${PARTITION}#LOOKED`, sk: 'all' }
const LOOKS_AT_ONCE = 16

const lookedForItem = z.object({ ids: z.array(z.string()).default([]) })

/**
 * Which components have, or once had, configurations. A catalogue has hundreds of components and a project uses a few:
 * what goes through all configurations asks for those alone.
 *
 * A component is noted before its first configuration is stored, and never forgotten. Version 0.2 noted nothing: a reader
 * looks once for the configurations of each component that comes into the catalogue.
 */
export const createUsedComponents = (items: ItemTable, branches: Pick<BranchStore, 'list'>) => {
  const noted = new Set<string>()
  const lookedFor = new Set<string>()

  const note = async (componentId: string): Promise<void> => {
    if (noted.has(componentId)) return
    await items.put({ pk: PARTITION, sk: componentId }, {}, 'absent')
    noted.add(componentId)
  }

  const hasConfigurations = async (branchId: number, componentId: string): Promise<boolean> => {
    const one = { ...startingWith(''), pageSize: 1, attributes: ['sk'] }
    for await (const _item of items.query(`CONFIGS#${branchId}#${componentId}`, one)) return true
    return false
  }

  const noteExisting = async (componentIds: readonly string[]): Promise<void> => {
    if (componentIds.every(id => lookedFor.has(id))) return
    const { ids } = lookedForItem.parse((await items.get(LOOKED_FOR)) ?? {})
    for (const id of ids) lookedFor.add(id)
    const unknown = componentIds.filter(id => !lookedFor.has(id))
    if (unknown.length === 0) return
    const branchIds = [defaultBranchId, ...(await branches.list()).map(({ id }) => id)]
    const lookFor = async (componentId: string): Promise<void> => {
      for (const branchId of new Set(branchIds))
        if (await hasConfigurations(branchId, componentId)) return note(componentId)
    }
    await pMap(unknown, lookFor, { concurrency: LOOKS_AT_ONCE })
    for (const id of unknown) lookedFor.add(id)
    // Two that write at once lose each other's ids, which are then looked for again.
    await items.put(LOOKED_FOR, { ids: [...lookedFor] })
  }

  return {
    note,

    /** Those of the catalogue that have or had configurations, in its order. */
    async of<Component extends { id: string }>(catalogue: readonly Component[]): Promise<Component[]> {
      await noteExisting(catalogue.map(({ id }) => id))
      const used = new Set<unknown>()
      for await (const item of items.query(PARTITION, startingWith(''))) used.add(item['sk'])
      return catalogue.filter(({ id }) => used.has(id))
    },
  }
}

type UsedComponents = ReturnType<typeof createUsedComponents>

/** The store of configurations, which notes the component of each new one. */
export const notingComponents = (
  configurations: ConfigurationStore,
  { note }: Pick<UsedComponents, 'note'>,
): ConfigurationStore => ({
  ...configurations,
  async insert(place, configuration) {
    await note(place.componentId)
    return configurations.insert(place, configuration)
  },
})
