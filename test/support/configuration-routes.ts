import { withStorage } from './storage-service.ts'

export const componentId = 'keboola.runner-config-test'

/** A storage service, and the requests that tests of configurations are made of. */
export const startConfigurationRoutes = async () => {
  const service = await withStorage()
  const configs = `/v2/storage/components/${componentId}/configs`
  let made = 0

  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    service.call(method, path === '' ? configs : `${configs}/${path}`, body, headers)

  return {
    service,
    /** A request below the configurations of the component: `send('GET', 'main/rows')`. */
    send,

    /** A new configuration; its id. */
    async create(settings: Record<string, unknown> = {}): Promise<string> {
      const configurationId = `config-${++made}`
      const { status, text } = await send('POST', '', { configurationId, name: 'Test', ...settings })
      if (status !== 201) throw new Error(`The configuration was not created: ${text}`)
      return configurationId
    },

    get: async (configId: string) => (await send('GET', configId)).body,
    versions: async (configId: string) => (await send('GET', `${configId}/versions`)).body,
  }
}

export type ConfigurationRoutes = Awaited<ReturnType<typeof startConfigurationRoutes>>
