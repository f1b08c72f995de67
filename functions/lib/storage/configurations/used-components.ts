import { type ItemTable, startingWith } from '../../items/item-table.ts'
import type { ConfigurationStore } from './configuration-store.ts'

const PARTITION = 'COMPONENTS'
/**
 * Which components have, or once had, configurations. A catalogue has hundreds of components and a project uses a few:
 * what goes through all configurations asks for those alone.
 *
 * A component is noted before its first configuration is stored, and never forgotten.
 */
export const createUsedComponents = (items: ItemTable) => {
  const noted = new Set<string>()

  const note = async (componentId: string): Promise<void> => {
    if (noted.has(componentId)) return
    await items.put({ pk: PARTITION, sk: componentId }, {}, 'absent')
    noted.add(componentId)
  }

  return {
    note,

    /** Those of the catalogue that have or had configurations, in its order. */
    async of<Component extends { id: string }>(catalogue: readonly Component[]): Promise<Component[]> {
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
  async insert(place, configuration, also) {
    await note(place.componentId)
    return configurations.insert(place, configuration, also)
  },
})
