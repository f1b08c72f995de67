import { expect, it } from 'vitest'
import { banner } from '../../cli/banner.ts'

const cloud = {
  api: 'http://127.0.0.1:8080',
  import: 'http://127.0.0.1:8080',
  s3: 'http://127.0.0.1:9000',
  region: 'us-east-1',
  token: '1-1-secret',
  accessKeyId: 'key',
  secretAccessKey: 'word',
  landingBucket: 'landing',
  filesBucket: 'files',
  exportsBucket: 'exports',
}

const linesOf = (hasConsole: boolean) =>
  banner(cloud, { hasConsole, stream: process.stderr })
    .split('\n')
    .map(line => line.trim())

it('the banner has addresses, export lines and the first commands', () => {
  expect(linesOf(false)).toEqual(
    expect.arrayContaining([
      'storage API  http://127.0.0.1:8080',
      'export AWS_ENDPOINT_URL_S3=http://127.0.0.1:9000',
      'export AWS_SECRET_ACCESS_KEY=word',
      'export MILLRACE_TOKEN=1-1-secret',
      'npx millrace wait in.c-main/orders.csv',
    ]),
  )
})

it('names the console only when it is served', () => {
  expect(linesOf(true)).toContain('console      http://127.0.0.1:8080/console')
  expect(linesOf(false).join('\n')).not.toContain('/console')
})
