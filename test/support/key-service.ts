import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Keys } from '#lib/cloud/keys.ts'
import { openKey } from '../../local/runtime/keys.ts'

/** The keys of one machine: one, or one per given name. */
export const startKeyService = async (names: readonly string[] = ['secrets']) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'key-service-'))
  const arns = names.map(name => `arn:aws:kms:us-east-1:000000000000:key/${name}`)
  const calls: (keyof Keys)[] = []
  const opened = new Map<string, Keys>()
  for (const arn of arns) opened.set(arn, await openKey(folder, arn))
  const keyOf = (arn: string): Keys => (opened.get(arn) ?? [...opened.values()][0]) as Keys // There is one at least.
  let isClosed = false
  const call = async <Result>(name: keyof Keys, run: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    calls.push(name)
    return run()
  }
  const keys: Keys = {
    encrypt: (arn, ...given) => call('encrypt', () => keyOf(arn).encrypt(arn, ...given)),
    dataKey: (arn, ...given) => call('dataKey', () => keyOf(arn).dataKey(arn, ...given)),
    decrypt: (arn, ...given) => call('decrypt', () => keyOf(arn).decrypt(arn, ...given)),
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
