import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { s3WithAt } from './s3-with.ts'

export interface ServiceAddress {
  url: string
  importUrl: string
  token: string
  /** `undefined`: AWS. */
  s3: string | undefined
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  // Tests look into replies freely and compare what they find.
  // biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
  body: any
}

export interface WireCredentials {
  AccessKeyId: string
  SecretAccessKey: string
  SessionToken: string
}

const POLL_MS = 200
const LONGEST_JOB_MS = 120_000

/** A storage service as any client sees it. The token is read anew with each request. */
export const serviceClient = (address: ServiceAddress) => {
  const run = Date.now().toString(36)
  const buckets: string[] = []
  const branches: number[] = []

  const send = async (url: string, init: RequestInit = {}): Promise<Reply> => {
    const headers = new Headers(init.headers)
    if (!headers.has('x-storageapi-token')) headers.set('x-storageapi-token', address.token)
    const response = await fetch(url, { redirect: 'error', ...init, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  /** One request below `/v2/storage/`; a plain object goes as JSON. */
  const call = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const isForm = body instanceof FormData || body instanceof URLSearchParams
    return send(`${address.url}/v2/storage/${path}`, {
      method,
      headers: { ...headers, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
  }

  /** Sends a request that makes a job; resolves to the finished job. */
  const job = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const reply = await call(method, path, body, headers)
    if (reply.status !== 202) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    let current = reply.body
    const start = performance.now()
    while (current.status === 'waiting' || current.status === 'processing') {
      if (performance.now() - start > LONGEST_JOB_MS) throw new Error(`The job ${current.id} does not end`)
      await sleep(POLL_MS)
      current = (await send(current.url)).body
    }
    return current
  }

  const withS3 = async <Result>(
    credentials: WireCredentials,
    region: string,
    use: (s3: S3Client) => Promise<Result>,
  ): Promise<Result> => {
    const s3 = s3WithAt(address.s3)(region, credentials)
    try {
      return await use(s3)
    } finally {
      s3.destroy()
    }
  }

  return {
    send,
    call,
    job,
    withS3,

    /** Makes a bucket that is deleted at the end of this run; resolves to its id. */
    async createBucket(name: string): Promise<string> {
      const { status, body, text } = await call('POST', 'buckets', {
        name: `test-${run}-${name}`,
        stage: 'in',
      })
      if (status !== 201) throw new Error(`The bucket was not created: ${text}`)
      buckets.push(body.id)
      return body.id
    },

    /** Makes a branch that is deleted at the end of this run; its id, and what its paths begin with. */
    async createBranch(): Promise<{ id: number; at: string }> {
      const { results } = await job('POST', 'dev-branches', { name: `test ${run} ${crypto.randomUUID()}` })
      branches.push(results.id)
      return { id: results.id, at: `branch/${results.id}/` }
    },

    /** Uploads a file, or its slices, with the credentials that the service gives; resolves to the file's id. */
    async upload(
      content: string | Buffer | (string | Buffer)[],
      settings: Record<string, unknown> = {},
    ): Promise<number> {
      const isSliced = Array.isArray(content)
      const { body: file } = await call('POST', 'files/prepare', {
        name: 'data.csv',
        federationToken: 1,
        isEncrypted: true,
        isSliced,
        ...settings,
      })
      const { bucket: Bucket, key, credentials, acl: ACL } = file.uploadParams
      await withS3(credentials, file.region, async s3 => {
        const put = (Key: string, Body: string | Buffer) =>
          s3.send(new PutObjectCommand({ Bucket, Key, Body, ACL, ServerSideEncryption: 'AES256' }))
        if (!isSliced) return put(key, content)
        for (const [index, slice] of content.entries()) await put(`${key}part${index}`, slice)
        const entries = content.map((_, index) => ({
          url: `s3://${Bucket}/${key}part${index}`,
          mandatory: true,
        }))
        return put(`${key}manifest`, JSON.stringify({ entries }))
      })
      return file.id
    },

    /** The slices of a file in the order of its manifest, read with the file's own credentials. */
    async downloadSlices(fileId: number): Promise<Buffer[]> {
      const { body: file } = await call('GET', `files/${fileId}?federationToken=1`)
      const manifest: { entries: { url: string }[] } = JSON.parse(await (await fetch(file.url)).text())
      return withS3(file.credentials, file.region, async s3 => {
        const slices: Buffer[] = []
        for (const { url } of manifest.entries) {
          const { host: Bucket, pathname } = new URL(url)
          const Key = decodeURIComponent(pathname.slice(1))
          const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
          slices.push(Buffer.from((await Body?.transformToByteArray()) ?? []))
        }
        return slices
      })
    },

    async deleteAll(): Promise<void> {
      for (const id of branches) await call('DELETE', `dev-branches/${id}`)
      for (const id of buckets) await call('DELETE', `buckets/${id}?force=1`)
    },
  }
}
