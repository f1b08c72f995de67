import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { S3Client } from '@aws-sdk/client-s3'
import { type Reply, serviceClient } from '../support/service-client.ts'
import type { Account, Installation } from './installation.ts'
import { Skipped } from './run-steps.ts'

/** What the steps share. All that they make is named after it. */
export interface Smoke {
  readonly installation: Installation
  readonly service: ReturnType<typeof serviceClient>
  /** Different in each run. */
  readonly name: string
  readonly bucketId: string
  /** A request below `/v2/storage/` that must be answered with 2xx. Resolves to the body. */
  readonly api: (method: string, path: string, body?: object) => Promise<Reply['body']>
  /** A request that makes a job, which must succeed. */
  readonly job: (method: string, path: string, body?: object) => Promise<Reply['body']>
  /** Rows of a table's preview, as texts, in the order of their first column. */
  readonly rowsOf: (tableId: string, prefix?: string) => Promise<string[][]>
  /** The account, for steps that need more than the API. */
  readonly account: () => Account & { readonly s3Client: S3Client }
  /** A command of `millrace`, as a person runs it. Rejects with what it said when it failed. */
  readonly millrace: (...args: string[]) => Promise<string>
  readonly close: () => Promise<void>
}

const PROGRAM = join(import.meta.dirname, '../../cli/bin.js')

export const openSmoke = async (installation: Installation): Promise<Smoke> => {
  const { url, account } = installation
  const name = `smoke-${Date.now().toString(36)}-${randomBytes(2).toString('hex')}`
  const service = serviceClient({
    url,
    importUrl: url,
    get token() {
      return installation.token
    },
    s3: installation.isLocal ? await s3EndpointOf(installation) : undefined,
  })
  const api: Smoke['api'] = async (method, path, body) => {
    const reply = await service.call(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 500)}`)
    return reply.body
  }
  const job: Smoke['job'] = async (method, path, body) => {
    const ended = await service.job(method, path, body)
    if (ended.status === 'success') return ended
    throw new Error(`The job ${ended.id} of ${method} ${path} failed: ${JSON.stringify(ended.error)}`)
  }
  const clients = account && { s3Client: new S3Client(account.s3) }
  return {
    installation,
    service,
    name,
    bucketId: `in.c-${name}`,
    api,
    job,
    async rowsOf(tableId, prefix = '') {
      const { rows } = await api('GET', `${prefix}tables/${tableId}/data-preview?format=json&limit=1000`)
      const cells: string[][] = rows.map((row: { value: string }[]) => row.map(({ value }) => value))
      return cells.toSorted(([a = ''], [b = '']) => a.localeCompare(b))
    },
    account() {
      if (account && clients) return { ...account, ...clients }
      throw new Skipped(
        'it needs more than address and token: MILLRACE_DATA_DIR of a service here, or --stack.',
      )
    },
    async millrace(...args) {
      const flags = account?.flags ?? []
      const child = spawn(process.execPath, [PROGRAM, ...args, ...flags], {
        env: { ...process.env, ...account?.environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [out, problems, code] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject)),
      ])
      if (code !== 0) throw new Error(`millrace ${args.join(' ')} ended with ${code}: ${problems.trim()}`)
      return out
    },
    async close() {
      await service.call('DELETE', `buckets/in.c-${name}?force=1`)
      clients?.s3Client.destroy()
    },
  }
}

/** Of a service on this machine whose data directory is another's: a file's own address names it. */
const s3EndpointOf = async ({ account, url, token }: Installation): Promise<string> => {
  const endpoint = account?.s3['endpoint']
  if (typeof endpoint === 'string') return endpoint
  const address = { url, importUrl: url, token, s3: undefined }
  const { body } = await serviceClient(address).call('POST', 'files/prepare', {
    name: 'smoke',
    federationToken: 0,
  })
  return new URL(body.uploadParams.url ?? body.url).origin
}

/** Rejects when the two are not the same in JSON. */
export const expectSame = (what: string, found: unknown, wanted: unknown): void => {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (is !== should) throw new Error(`${what} should be ${should}, and is ${is?.slice(0, 500)}`)
}
