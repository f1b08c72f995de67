import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { type ServiceAddress, serviceClient } from '../support/service-client.ts'
import { startStorageService } from '../support/storage-service.ts'
import { untilEnd } from '../support/until-end.ts'

interface Address extends ServiceAddress {
  close: () => Promise<void>
}

const given = (name: string): string | undefined => process.env[`MILLRACE_ACCEPTANCE_${name}`] || undefined

const findAddress = async (): Promise<Address> => {
  const url = given('URL')?.replace(/\/$/, '')
  if (url !== undefined) {
    const token = given('TOKEN')
    if (token === undefined) throw new Error('MILLRACE_ACCEPTANCE_TOKEN must be set too')
    return { url, importUrl: given('IMPORT') ?? url, token, s3: given('S3'), close: async () => {} }
  }
  const service = await startStorageService({ jobWaitMs: 1_000 })
  const server = createAdaptorServer({ fetch: service.app.fetch })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A server that listens on TCP has an address of this kind.
  const own = `http://127.0.0.1:${port}`
  return {
    url: own,
    importUrl: own,
    token: service.token,
    s3: service.s3Endpoint,
    close: async () => {
      await new Promise(resolve => server.close(resolve))
      await service.close()
    },
  }
}

/** The service under test, as a client sees it, until the tests of the file have ended. */
export const connectTarget = async () => {
  const address = await findAddress()
  const client = serviceClient(address)
  return untilEnd({
    ...address,
    ...client,
    async close(): Promise<void> {
      await client.deleteAll()
      await address.close()
    },
  })
}
