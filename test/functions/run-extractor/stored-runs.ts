import { startExtraction } from '#support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

/** An API, and a storage service in this process whose configurations read it. */
export const startStoredRuns = async (answer: Parameters<typeof startApi>[0]) => {
  const extraction = await startExtraction()
  const api: ApiServer = await startApi(answer)
  const call = async (method: string, path: string, body?: object) =>
    (await extraction.service.call(method, `/v2/storage/${path}`, body)).body
  return {
    service: extraction.service,
    run: extraction.run,
    call,
    /** `config` is that of the extractor; tables come into a bucket with the id of the configuration, unless it says another one. */
    create: (configurationId: string, config: object) =>
      call('POST', 'components/ex-generic-v2/configs', {
        configurationId,
        name: configurationId,
        configuration: {
          parameters: {
            api: { baseUrl: `${api.origin}/` },
            config: { outputBucket: configurationId, ...config },
          },
        },
      }),
    close: async (): Promise<void> => {
      await api.close()
      await extraction.close()
    },
  }
}

export type StoredRuns = Awaited<ReturnType<typeof startStoredRuns>>
