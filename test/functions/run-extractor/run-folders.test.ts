import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLegFolder, restoreSpool } from '#functions/run-extractor/leg-folder.ts'
import { withTableIterations } from '#functions/run-extractor/read-inputs.ts'
import { createBucketDocuments } from '#lib/cloud/bucket-documents.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'run-folders-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

it.each(['../x', '/x', '..', 'a\0', ''])('a run called %j has no folder', async name => {
  await expect(openLegFolder(join(root, 'runs'), name, null)).rejects.toMatchObject({ code: 'path.outside' })
  expect(await readdir(root)).toEqual([])
})

it.each(['../x.csv', '0/../../x.csv', '/x.csv', '0\\x.csv'])('a spool is not restored to %j', async path => {
  const s3 = new S3Client({ region: 'us-east-1' })
  const files = [{ path, bytes: 0, parts: [] }]
  await expect(
    restoreSpool(join(root, 'spool'), files, createBucketDocuments(s3, 'work')),
  ).rejects.toMatchObject({
    code: 'path.outside',
  })
  expect(await readdir(root)).toEqual([])
})

it.each(['../x', '..', 'a\0b', '/etc/passwd'])('iterations are not read from %j', async table => {
  const config = { parameters: { iterations: { table } } }
  await expect(withTableIterations(config, root)).rejects.toMatchObject({ code: 'extractor.run.iterations' })
})
