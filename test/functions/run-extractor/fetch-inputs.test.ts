import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { fetchInputs } from '#functions/run-extractor/read-inputs.ts'
import type { Run } from '#functions/run-extractor/run.ts'
import type { RunServices } from '#functions/run-extractor/services.ts'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError } from '#lib/errors/errors.ts'
import { s3WithAt } from '#support/s3-with.ts'

it('a connection that breaks in a compressed slice is an error that may pass', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inputs-'))
  const server = createServer((request, response) => {
    if (request.url?.includes('manifest')) return response.end('{"entries":[{"url":"s3://files/a/1.gz"}]}')
    response.writeHead(200, { 'content-length': '1000' })
    return response.write(gzipSync('1\n2\n').subarray(0, 12), () => request.socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  const credentials = { AccessKeyId: 'a', SecretAccessKey: 'b', SessionToken: 'c' }
  const file = { region: 'us-east-1', credentials, isSliced: true, s3Path: { bucket: 'files', key: 'a/' } }
  // Only what is read of a run, and of the services.
  const run = { inputs: [{ destination: 'a.csv', columns: ['id'], jobId: 1, fileId: 2 }] } as unknown as Run
  const storage = { file: async () => file } as unknown as RunServices['storage']
  try {
    const fetching = fetchInputs(run, folder, { storage, s3With: s3WithAt(`http://127.0.0.1:${port}`) })
    const error = await fetching.catch((error: unknown) => error)
    expect(asTransient(error)).toBeInstanceOf(TransientError)
  } finally {
    await new Promise(resolve => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  }
})
