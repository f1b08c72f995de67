import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually, type Step } from './run-steps.ts'
import { expectSame, type Smoke } from './smoke-context.ts'

const COMPONENT = 'components/ex-generic-v2/configs'

interface ReadApi {
  /** Ends with a slash. */
  readonly url: string
  readonly job: object
  /** Fewest rows that one page has. */
  readonly rows: number
  readonly close: () => Promise<void>
}

/** A list of three, of this process. */
const serveList = async (): Promise<ReadApi> => {
  const items = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items)),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  const close = () => new Promise<void>(resolve => server.close(() => resolve()))
  return { url: `http://127.0.0.1:${port}/`, job: { endpoint: 'items' }, rows: items.length, close }
}

/** The components in the index of the installation's own API, which an account reaches, and which needs no token. */
const ownIndex = (url: string): ReadApi => ({
  url: `${url}/v2/`,
  job: { endpoint: 'storage', dataField: 'components' },
  rows: 1,
  close: async () => {},
})

/** Made by the first step, run by the second, and taken away by it. */
const configuration = ({ url, job }: ReadApi, name: string) => ({
  parameters: {
    api: { baseUrl: url },
    config: {
      outputBucket: name,
      jobs: [{ ...job, dataType: 'items', responseFilter: ['configurationSchema', 'data'] }],
    },
  },
  schedule: 'rate(1 minute)',
})

const reading = async <Result>(smoke: Smoke, use: (api: ReadApi) => Promise<Result>): Promise<Result> => {
  const { isLocal, url } = smoke.installation
  const api = isLocal ? await serveList() : ownIndex(url)
  try {
    return await use(api)
  } finally {
    await api.close()
  }
}

export const extractionSteps: Readonly<Record<string, Step<Smoke>>> = {
  'preview an extraction': smoke =>
    reading(smoke, async api => {
      const { schedule: _, ...unscheduled } = configuration(api, smoke.name)
      const made = { configurationId: smoke.name, name: smoke.name, configuration: unscheduled }
      await smoke.api('POST', COMPONENT, made)
      const shown = await smoke.api('POST', `${COMPONENT}/${smoke.name}/preview`, { rows: 2 })
      expectSame('The error of the preview', shown.error, null)
      const [table] = shown.tables
      expectSame('Whether the preview has rows', table?.rows.length > 0, true)
      return `${table.rows.length} row(s) of ${api.url}, by ${shown.exchanges.length} request(s)`
    }),

  'extract by a schedule': smoke =>
    reading(smoke, async api => {
      const place = `${COMPONENT}/${smoke.name}`
      try {
        await smoke.api('PUT', place, { configuration: configuration(api, smoke.name) })
        const run = await eventually('A run by the schedule', 300, async () => {
          const [newest] = await smoke.api('GET', `runs?componentId=ex-generic-v2&configId=${smoke.name}`)
          return newest?.endTime ? newest : undefined
        })
        expectSame('What the run ended with', [run.status, run.error], ['success', null])
        const { rowsCount } = await smoke.api('GET', `tables/${smoke.bucketId}.items`)
        expectSame('Whether the table has the rows', rowsCount >= api.rows, true)
        return `${run.trigger} ran it, and ${smoke.bucketId}.items has ${rowsCount} row(s)`
      } finally {
        await smoke.service.call('DELETE', place)
      }
    }),
}
