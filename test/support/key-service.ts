import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ControlServer } from '../../local/runtime/control/aws-json-server.ts'
import { Keys, keyOperations } from '../../local/runtime/keys/keys.ts'

/** A KMS in this process with one key, or one per given name. Every caller may do everything. */
export const startKeyService = async (names: readonly string[] = ['secrets']) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'key-service-'))
  const arns = names.map(name => `arn:aws:kms:us-east-1:000000000000:key/${name}`)
  const calls: string[] = []
  const server = new ControlServer({
    authenticate: () => ({ roleArn: undefined }),
    isAllowed: (_caller, action) => {
      calls.push(action)
      return true
    },
    log: () => {},
  })
  server.serve(keyOperations(await Keys.open(folder, arns)))
  const endpoint = await server.listen()

  return {
    folder,
    arns,
    keyArn: arns[0] ?? '',
    /** Each call so far: `kms:GenerateDataKey`. */
    calls,
    kms: {
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
    },
    async close(): Promise<void> {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
