import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { folderUntilEnd } from '#support/until-end.ts'
import { startTestS3, testRoot } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'

/* Tools of others, as this machine has them; docs/tools.md says which were tried. Those that are missing are skipped. */
const folder = folderUntilEnd()
const content = randomBytes(17 * 1024 ** 2) // Large enough for several parts.

const s3 = await untilEnd(startTestS3())
await s3.s3.createBucket('box')
const file: string = join(folder, 'file.bin')
const copy: string = join(folder, 'copy.bin')
await writeFile(file, content)

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

const run = async (command: string, ...args: string[]): Promise<string> => {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    AWS_ACCESS_KEY_ID: testRoot.accessKeyId,
    AWS_SECRET_ACCESS_KEY: testRoot.secretAccessKey,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: s3.s3.endpoint,
  }
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env })
  return stdout
}

const expectCopy = async (): Promise<void> => expect((await readFile(copy)).equals(content)).toBe(true)

describe.skipIf(!isThere('aws', '--version'))('aws', () => {
  it('copies, lists, signs addresses and deletes', async () => {
    const aws = (...args: string[]) => run('aws', '--endpoint-url', s3.s3.endpoint, ...args)
    const object = ['--bucket', 'box', '--key', 'aws/file.bin']
    await aws('s3', 'cp', file, 's3://box/aws/file.bin', '--quiet')
    await aws('s3', 'cp', 's3://box/aws/file.bin', copy, '--quiet')
    await expectCopy()
    expect(await aws('s3', 'ls', 's3://box/aws/')).toContain('17825792 file.bin')
    expect(await aws('s3api', 'get-object-tagging', ...object)).toContain('"TagSet": []')
    expect(await aws('s3api', 'get-bucket-acl', '--bucket', 'box')).toContain('FULL_CONTROL')
    const address = (await aws('s3', 'presign', 's3://box/aws/file.bin')).trim()
    expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(content)).toBe(true)
    await aws('s3', 'rm', 's3://box/aws/', '--recursive', '--quiet')
    expect(await aws('s3api', 'list-objects-v2', '--bucket', 'box', '--prefix', 'aws/')).not.toContain('file')
  })
})

describe.skipIf(!isThere('s3cmd', '--version'))('s3cmd', () => {
  it('puts, describes, gets and deletes', async () => {
    const host = new URL(s3.s3.endpoint).host
    const s3cmd = (...args: string[]) =>
      run(
        's3cmd',
        ...[`--access_key=${testRoot.accessKeyId}`, `--secret_key=${testRoot.secretAccessKey}`],
        ...[`--host=${host}`, `--host-bucket=${host}`, '--no-ssl', '--no-progress', '--force', ...args],
      )
    await s3cmd('put', file, 's3://box/s3cmd/file.bin')
    await s3cmd('get', 's3://box/s3cmd/file.bin', copy)
    await expectCopy()
    expect(await s3cmd('info', 's3://box/s3cmd/file.bin')).toMatch(/File size: +17825792[\s\S]*ACL:/)
    expect(await s3cmd('info', 's3://box')).toContain('ACL:')
    await s3cmd('del', 's3://box/s3cmd/file.bin')
    expect(await s3cmd('ls', 's3://box/s3cmd/')).toBe('')
  })
})

describe.skipIf(!isThere('rclone', 'version'))('rclone', () => {
  it('copies, checks and purges', async () => {
    const remote = `:s3,provider=Other,env_auth=true,region=us-east-1,endpoint="${s3.s3.endpoint}",acl=bucket-owner-full-control,bucket_acl=private:box/rclone`
    await run('rclone', 'copyto', file, `${remote}/file.bin`)
    expect(await run('rclone', 'lsl', remote)).toMatch(/^ *17825792 .* file\.bin$/m)
    await run('rclone', 'check', folder, remote, '--include', 'file.bin', '--download')
    await run('rclone', 'copyto', `${remote}/file.bin`, copy)
    await expectCopy()
    await run('rclone', 'purge', remote)
    expect(await run('rclone', 'lsf', remote.replace(/rclone$/, ''))).not.toContain('rclone')
  })
})

const python = `
import boto3, sys
from boto3.s3.transfer import TransferConfig
client = boto3.client('s3', endpoint_url=sys.argv[1])
client.upload_file(sys.argv[2], 'box', 'boto3/file.bin', Config=TransferConfig(multipart_threshold=8 * 2**20))
client.download_file('box', 'boto3/file.bin', sys.argv[3])
print(client.head_object(Bucket='box', Key='boto3/file.bin')['ContentLength'])
client.delete_objects(Bucket='box', Delete={'Objects': [{'Key': 'boto3/file.bin'}]})
print(client.list_objects_v2(Bucket='box', Prefix='boto3/')['KeyCount'])
`
const postedForm = `
import boto3, sys, urllib.request, uuid
from botocore.config import Config
reader = boto3.client('s3', endpoint_url=sys.argv[1])
for version in ['s3', 's3v4']:
    client = boto3.client('s3', endpoint_url=sys.argv[1], config=Config(signature_version=version))
    conditions = [['content-length-range', 1, 10], {'success_action_status': '201'}]
    form = client.generate_presigned_post('box', 'posted/\${filename}', {'success_action_status': '201'}, conditions)
    edge = uuid.uuid4().hex
    parts = [f'--{edge}\\r\\nContent-Disposition: form-data; name="{n}"\\r\\n\\r\\n{v}\\r\\n' for n, v in form['fields'].items()]
    parts.append(f'--{edge}\\r\\nContent-Disposition: form-data; name="file"; filename="{version}.csv"\\r\\n\\r\\nhello\\r\\n--{edge}--\\r\\n')
    headers = {'Content-Type': f'multipart/form-data; boundary={edge}'}
    reply = urllib.request.urlopen(urllib.request.Request(form['url'], ''.join(parts).encode(), headers))
    print(reply.status, reader.get_object(Bucket='box', Key=f'posted/{version}.csv')['Body'].read().decode())
`
describe.skipIf(!isThere('python3', '-c', 'import boto3'))('boto3', () => {
  it('signs forms, in both versions of the signature', async () => {
    expect(await run('python3', '-c', postedForm, s3.s3.endpoint)).toBe('201 hello\n201 hello\n')
  })

  it('uploads in parts, downloads, deletes several', async () => {
    expect(await run('python3', '-c', python, s3.s3.endpoint, file, copy)).toBe('17825792\n0\n')
    await expectCopy()
  })
})

const arrow = `
import sys, pyarrow as pa, pyarrow.csv, pyarrow.parquet as pq
from pyarrow import fs
s3 = fs.S3FileSystem(endpoint_override=sys.argv[1], scheme='http', region='us-east-1', allow_bucket_creation=False)
table = pa.table({'id': list(range(100000))})
pq.write_table(table, 'box/arrow/numbers.parquet', filesystem=s3)
print(pq.read_table('box/arrow/numbers.parquet', filesystem=s3).num_rows)
print([info.size > 0 for info in s3.get_file_info(fs.FileSelector('box/arrow'))])
s3.delete_dir('box/arrow')
`
describe.skipIf(!isThere('python3', '-c', 'import pyarrow'))('pyarrow', () => {
  it('writes and reads Parquet, lists and deletes a folder', async () => {
    expect(await run('python3', '-c', arrow, new URL(s3.s3.endpoint).host)).toBe('100000\n[True]\n')
  })
})
