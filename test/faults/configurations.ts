import { type ConfigurationWrite, configurationDifferences, type FoundVersion } from './model.ts'
import type { World } from './world.ts'

const COMPONENT = '/components/ex-generic-v2/configs'

/** Configurations of one world, with what was asked of them. */
export const openConfigurations = ({ request, service }: World) => ({
  /** A configuration that is there; its writes may fail from then on. */
  create: async (configId: string) => {
    const path = `${COMPONENT}/${configId}`
    const body = { configurationId: configId, name: configId, changeDescription: 'created' }
    await service.call('POST', `/v2/storage${COMPONENT}`, body)
    const writes = new Map<string, ConfigurationWrite>([['created', { mark: 'created', state: 'done' }]])

    return {
      /** Sends a write, once more under the same mark when nobody knows what became of the last. Throws when it fails. */
      write: async (mark: string, settings: Record<string, unknown>, place = ''): Promise<void> => {
        const known = writes.get(mark) ?? { mark, state: 'open', sent: 0 }
        if (known.state === 'done') return
        writes.set(mark, { ...known, sent: (known.sent ?? 0) + 1 })
        const isNew = place === 'rows'
        const method = isNew || place.endsWith('/rollback') ? 'POST' : 'PUT'
        const { status } = await request(method, place === '' ? path : `${path}/${place}`, {
          ...settings,
          changeDescription: mark,
        })
        // A row that is there by now was made by an earlier sending.
        const isMade = isNew && (known.sent ?? 0) > 0 && status === 400
        if (status >= 300 && !isMade) throw new Error(`The write answered ${status}`)
        writes.set(mark, { ...known, sent: (known.sent ?? 0) + 1, state: 'done' })
      },

      differences: async (): Promise<string[]> => {
        const { body: current } = await service.call('GET', `/v2/storage${path}`)
        const { body: versions } = await service.call('GET', `/v2/storage${path}/versions?limit=1000`)
        return configurationDifferences(configId, [...writes.values()], {
          current: foundVersion(current),
          versions: versions.map(foundVersion),
        })
      },
    }
  },
})

export type Configurations = ReturnType<typeof openConfigurations>

const foundVersion = (found: { version: number; changeDescription: string }): FoundVersion => ({
  version: found.version,
  mark: found.changeDescription,
})
