import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { type Figure, figure, median } from './figure.ts'
import { type Measured, runMeasured } from './run-measured.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * `millrace upload` and `millrace download` of 1 GiB, as programs with all that they need to start, against the `aws`
 * CLI with the same store in the same run. Without `aws` there is no baseline.
 */
const MiB = 1024 ** 2
const BYTES = 1024 * MiB
const ROUNDS = 3

const writeRandomFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'w')
  const block = randomBytes(64 * MiB)
  for (let written = 0; written < BYTES; written += block.length) {
    // The blocks differ, so that no store could share them.
    block.writeDoubleBE(written, 0)
    await handle.write(block)
  }
  await handle.close()
}

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path, { highWaterMark: MiB })) hash.update(bytes)
  return hash.digest('hex')
}

const hasAws = await runMeasured('aws', ['--version'], {}).then(
  () => true,
  () => false,
)
if (!hasAws) console.error('There is no aws command: only our own transfers are measured.')
const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-transfer-'))
let cloud: StartedCloud | undefined
try {
  const source = join(folder, 'source.bin')
  const target = join(folder, 'target.bin')
  await writeRandomFile(source)
  cloud = await startCloud(join(folder, 'data'))
  const { api, s3, token, region, accessKeyId, secretAccessKey, exportsBucket } = cloud
  const millrace = (...given: string[]) =>
    runMeasured(process.execPath, [join(import.meta.dirname, '../../../cli/bin.js'), ...given], {
      MILLRACE_URL: api,
      MILLRACE_TOKEN: token,
    })
  const aws = (...given: string[]) =>
    runMeasured('aws', ['s3', 'cp', '--only-show-errors', ...given], {
      AWS_ENDPOINT_URL_S3: s3,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    })
  const storage = createStorageClient({ baseUrl: api, token })
  const runs: Record<'upload' | 'download' | 'awsUpload' | 'awsDownload', Measured[]> = {
    upload: [],
    download: [],
    awsUpload: [],
    awsDownload: [],
  }
  // Alternately, so that other load on the machine affects all of them.
  for (let round = 1; round <= ROUNDS; round++) {
    const name = `bench${round}.bin`
    runs.upload.push(await millrace('upload', source, '--name', name))
    if (hasAws) runs.awsUpload.push(await aws(source, `s3://${exportsBucket}/${name}`))
    const fileId = await findFile(api, token, name)
    runs.download.push(await millrace('download', String(fileId), '-o', target))
    if (round === 1 && (await hashOf(target)) !== (await hashOf(source)))
      throw new Error('What was downloaded is not what was uploaded')
    if (hasAws) runs.awsDownload.push(await aws(`s3://${exportsBucket}/${name}`, target))
    await storage.deleteFile(fileId)
  }
  const secondsOf = (measured: Measured[]): number => median(measured.map(({ seconds }) => seconds))
  const memoryOf = (measured: Measured[]): number => Math.max(...measured.map(run => run.peakMemoryMb))
  const compare = (what: string, ours: Measured[], theirs: Measured[]): Figure[] => [
    figure(
      `${what} 1 GiB (ratio: to the aws CLI)`,
      's',
      secondsOf(ours),
      hasAws ? secondsOf(theirs) : undefined,
    ),
    figure(`${what} 1 GiB: peak memory`, 'MB', memoryOf(ours), hasAws ? memoryOf(theirs) : undefined),
  ]
  const figures = [
    ...compare('upload', runs.upload, runs.awsUpload),
    ...compare('download', runs.download, runs.awsDownload),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}

async function findFile(api: string, token: string, name: string): Promise<number> {
  const response = await fetch(`${api}/v2/storage/files?q=name:${name}`, {
    headers: { 'X-StorageApi-Token': token },
  })
  const [file] = (await response.json()) as { id: number }[] // The list of files, newest first.
  if (!file) throw new Error(`There is no file ${name}`)
  return file.id
}
