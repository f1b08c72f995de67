import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Keys as KeysPort } from '#lib/cloud/keys.ts'
import { Keys } from '../../local/runtime/keys/keys.ts'

/** The keys of one machine: one, or one per given name. */
export const startKeyService = async (names: readonly string[] = ['secrets']) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'key-service-'))
  const arns = names.map(name => `arn:aws:kms:us-east-1:000000000000:key/${name}`)
  const calls: (keyof KeysPort)[] = []
  const opened = await Keys.open(folder, arns)
  let isClosed = false
  const call = async <Result>(name: keyof KeysPort, run: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    calls.push(name)
    return run()
  }
  const keys: KeysPort = {
    encrypt: (...given) => call('encrypt', () => opened.encrypt(...given)),
    dataKey: (...given) => call('dataKey', () => opened.dataKey(...given)),
    decrypt: (...given) => call('decrypt', () => opened.decrypt(...given)),
  }
  return {
    folder,
    arns,
    keyArn: arns[0] ?? '',
    /** Each call so far. */
    calls,
    keys,
    /** Calls are refused from then on, as those of a service that is not there. */
    async close(): Promise<void> {
      isClosed = true
      await rm(folder, { recursive: true, force: true })
    },
  }
}
