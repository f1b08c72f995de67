import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { serveScans } from '../support/scanned-items.ts'
import { Skipped, type Step } from './run-steps.ts'
import { expectSame, type Smoke } from './smoke-context.ts'

export const tableSteps: Readonly<Record<string, Step<Smoke>>> = {
  async 'drop a file into the landing bucket'(smoke) {
    const { outputs, s3Client } = smoke.account()
    const Key = `${smoke.bucketId}/people.csv`
    const Body = 'id,name\n1,Ada\n2,Grace\n'
    const object = { Bucket: outputs['LandingBucket'], Key, Body, Metadata: { 'primary-key': 'id' } }
    await s3Client.send(new PutObjectCommand(object))
    await smoke.millrace('wait', Key, '--timeout', '600')
    expectSame('The table', await smoke.rowsOf(`${smoke.bucketId}.people`), [
      ['1', 'Ada'],
      ['2', 'Grace'],
    ])
    return `s3://${object.Bucket}/${Key} is a table`
  },

  async 'load by a key'(smoke) {
    const { service, bucketId } = smoke
    await service.call('POST', 'buckets', { name: smoke.name, stage: 'in' }) // Unless a step before made it.
    const tableId = `${bucketId}.keyed`
    const dataFileId = await service.upload('id,city\n1,Oslo\n2,Bergen\n')
    await smoke.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 'keyed',
      dataFileId,
      primaryKey: 'id',
    })
    const change = { dataFileId: await service.upload('id,city\n2,Turku\n3,"a ""b"""\n'), incremental: 1 }
    await smoke.job('POST', `tables/${tableId}/import-async`, change)
    expectSame('The table', await smoke.rowsOf(tableId), [
      ['1', 'Oslo'],
      ['2', 'Turku'],
      ['3', 'a "b"'],
    ])
    return 'one row changed, one added, one as it was'
  },

  async 'export in slices'(smoke) {
    const { results } = await smoke.job('POST', `tables/${smoke.bucketId}.keyed/export-async`, {})
    const { isSliced } = await smoke.api('GET', `files/${results.file.id}`)
    expectSame('Whether the file is sliced', isSliced, true)
    const slices = await smoke.service.downloadSlices(results.file.id)
    const lines = Buffer.concat(slices).toString('utf8').trimEnd().split('\n').toSorted()
    expectSame('The exported lines', lines, ['"1","Oslo"', '"2","Turku"', '"3","a ""b"""'])
    return `${slices.length} slice(s) with the table’s rows, read with the credentials of the file`
  },

  async 'take a branch'(smoke) {
    const { results: branch } = await smoke.job('POST', 'dev-branches', { name: smoke.name })
    const inBranch = `branch/${branch.id}/`
    const tableId = `${smoke.bucketId}.keyed`
    await smoke.job('DELETE', `${inBranch}tables/${tableId}/rows?whereColumn=id&whereValues[]=1`)
    const idsOf = async (prefix: string) => (await smoke.rowsOf(tableId, prefix)).map(([id]) => id)
    expectSame(
      'Ids of the branch, and of the default branch',
      [await idsOf(inBranch), await idsOf('')],
      [
        ['2', '3'],
        ['1', '2', '3'],
      ],
    )
    await smoke.job('DELETE', `dev-branches/${branch.id}`)
    return 'a row deleted in a branch stays in the default branch; the branch is gone'
  },

  async 'go back to a snapshot'(smoke) {
    const tableId = `${smoke.bucketId}.keyed`
    const { results: snapshot } = await smoke.job('POST', `tables/${tableId}/snapshots`, {
      description: 'smoke',
    })
    await smoke.job('DELETE', `tables/${tableId}/rows?allowTruncate=1`)
    expectSame('Rows after all were deleted', await smoke.rowsOf(tableId), [])
    const restored = { name: 'restored', snapshotId: snapshot.id }
    await smoke.job('POST', `buckets/${smoke.bucketId}/tables-async`, restored)
    const ids = (await smoke.rowsOf(`${smoke.bucketId}.restored`)).map(([id]) => id)
    expectSame('Ids of the restored table', ids, ['1', '2', '3'])
    await smoke.job('DELETE', `snapshots/${snapshot.id}`)
    return 'a table whose rows were deleted is there again as another one'
  },

  async 'restore a deleted object'(smoke) {
    const { outputs, environment, s3Client: client } = smoke.account()
    const { TablesBucket: Bucket = '', ItemTable = '' } = outputs
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }))
    if (Status !== 'Enabled') throw new Skipped('its bucket of tables keeps no versions (tableVersionDays).')
    const tableId = `${smoke.bucketId}.cities`
    const namespace = smoke.bucketId.toLowerCase().replaceAll(/[.-]/g, '_')
    const { url, token } = smoke.installation
    const reply = await fetch(`${url}/iceberg/v1/namespaces/${namespace}/tables/cities`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { 'metadata-location': location }: { 'metadata-location': string } = JSON.parse(await reply.text())
    const object = { Bucket, Key: location.slice(`s3://${Bucket}/`.length) }
    await client.send(new DeleteObjectCommand(object))
    const named = ['--item-table', ItemTable, '--tables-bucket', Bucket]
    // One machine has no DynamoDB for the script: its items are served from their file.
    const dataDir = environment['MILLRACE_DATA_DIR']
    const items = dataDir === undefined ? undefined : await serveScans(join(dataDir, 'items', 'items.db'))
    const env = {
      ...process.env,
      ...environment,
      ...(items && { AWS_ENDPOINT_URL_DYNAMODB: items.endpoint }),
    }
    await promisify(execFile)(process.execPath, ['docs/restore.ts', ...named, '--apply'], { env }).finally(
      () => items?.close(),
    )
    await client.send(new HeadObjectCommand(object))
    expectSame('Rows of a table', (await smoke.rowsOf(tableId)).length, 2)
    return `${object.Key} was deleted, and is there again`
  },
}
