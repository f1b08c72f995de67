import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mergeByQuery } from '#functions/merge-by-query/merge-by-query.ts'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { mergeTableName } from '#lib/iceberg/glue/glue-names.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { findSnapshot } from '#lib/iceberg/read/read-manifests.ts'
import { type MergeWorld, startMergeWorld, tableId } from './merge-world.ts'
import { before, change, contentOf, createOrders, eventsOfTable, expectNothingLeft } from './orders.ts'

let world: MergeWorld
beforeEach(async () => {
  world = await startMergeWorld()
})
afterEach(() => world.close())

describe('a damaged commit is refused, and the old head stays:', () => {
  const refusedAdoption = async (damage: (jobId: number) => Promise<void>, reason: string) => {
    await createOrders(world)
    await world.merge(await world.stage([[{ id: '6', amount: '60' }]]))
    const jobId = await world.stage([change])
    const queryId = await world.query(jobId)
    await damage(jobId)
    const old = await world.stores.tables.getHead(tableId)
    await expect(mergeByQuery({ step: 'adopt', jobId, queryId }, world.merging)).rejects.toMatchObject({
      code: 'storage.tables.distributed.commitRefused',
      message: expect.stringContaining(reason),
    })
    expect(await world.stores.tables.getHead(tableId)).toEqual(old)
    expect(await contentOf(world)).toEqual(before)
    const { head, glue } = await world.pointers()
    expect(glue).toBe(head)
    expect(await eventsOfTable(world)).toMatchObject([
      { event: 'storage.tableCommitRefused', message: expect.stringContaining(queryId) },
    ])
    await expectNothingLeft(world, jobId)
  }
  const committedMetadata = async (jobId: number) => {
    const found = await world.catalog.find(mergeTableName(jobId))
    if (!found) throw new Error('The query committed nothing')
    const text = Buffer.from(await world.stores.tableContents.objects.read(found.metadataLocation)).toString(
      'utf8',
    )
    return { found, text }
  }
  const remove = (location: string) =>
    world.s3.send(
      new DeleteObjectCommand({
        Bucket: world.tablesBucket,
        Key: world.stores.tableContents.objects.keyOf(location),
      }),
    )
  const dataFiles = async () => {
    const { Contents = [] } = await world.s3.send(
      new ListObjectsV2Command({ Bucket: world.tablesBucket, Prefix: 'tables/7/data/' }),
    )
    return Contents.map(({ Key = '' }) => Key)
  }
  /** Puts other metadata in the place of what the query committed. */
  const edit = (change: (text: string) => string) => async (jobId: number) => {
    const { found, text } = await committedMetadata(jobId)
    expect(change(text)).not.toBe(text)
    const location = found.metadataLocation.replace(/[^/]+$/, '00077-edited.metadata.json')
    const Key = world.stores.tableContents.objects.keyOf(location)
    await world.s3.send(new PutObjectCommand({ Bucket: world.tablesBucket, Key, Body: change(text) }))
    await world.catalog.move(found, { metadata: parseMetadata(text), location })
  }

  it('a file of rows is missing', () =>
    refusedAdoption(async () => {
      for (const key of await dataFiles())
        if (!key.includes('deletes')) await remove(`s3://${world.tablesBucket}/${key}`)
    }, 'which is not there'))

  it('a file of deletes is shorter than its manifest says', () =>
    refusedAdoption(async () => {
      for (const key of await dataFiles())
        if (key.includes('deletes'))
          await world.s3.send(new PutObjectCommand({ Bucket: world.tablesBucket, Key: key, Body: 'short' }))
    }, 'has 5 bytes'))

  it('the metadata file is missing', () =>
    refusedAdoption(async jobId => {
      await remove((await committedMetadata(jobId)).found.metadataLocation)
    }, 'is not there'))

  it('it does not follow what the query was given', () =>
    refusedAdoption(
      edit(text =>
        text.replaceAll(/"metadata-file":"[^"]+"/g, '"metadata-file":"s3://elsewhere/0.metadata.json"'),
      ),
      'follows the metadata file',
    ))

  it('its snapshot has another parent', () =>
    refusedAdoption(
      edit(text => {
        const parents = [...text.matchAll(/"parent-snapshot-id":(\d+)/g)]
        return text.replace(parents.at(-1)?.[0] ?? '', '"parent-snapshot-id":12345')
      }),
      'parent is the snapshot 12345',
    ))

  it('it has a snapshot beside its own', () =>
    refusedAdoption(
      edit(text => {
        const metadata = JSON.parse(text)
        metadata.snapshots.push({ ...metadata.snapshots[0], 'snapshot-id': 12345 })
        return JSON.stringify(metadata)
      }),
      'adds 2 snapshots, not one',
    ))

  it('its rows do not add up', () =>
    refusedAdoption(
      edit(text => text.replace(/"added-records":"3"/, '"added-records":"4"')),
      'its summary says that it adds 4',
    ))

  it('it is of another query', () =>
    refusedAdoption(
      edit(text => text.replace(/"trino_query_id":"\d+_\d+_/, '"trino_query_id":"20200101_000000_')),
      'which did not run when ours did',
    ))

  it('it has other columns', () =>
    refusedAdoption(
      edit(text => text.replace('"name":"amount"', '"name":"sum"')),
      'other columns',
    ))

  it('it deletes rows by equality, which our engine does not read', () =>
    refusedAdoption(async jobId => {
      const { found, text } = await committedMetadata(jobId)
      const { objects, metadataFile } = world.stores.tableContents
      const decided = await world.merging.notes.readNotes(jobId)
      const committed = parseMetadata(text)
      const live = await readLiveFiles(objects.read, committed)
      const base = await metadataFile(decided?.baseKey ?? '')
      const known = new Set((await readLiveFiles(objects.read, base.metadata)).map(({ file }) => file.path))
      const added = live.map(({ file }) => file).filter(({ path }) => !known.has(path))
      const [rows] = added
      if (!rows) throw new Error('The query wrote no rows')
      const location = `${base.metadata.location}/data/equality.parquet`
      const content = Buffer.from('PAR1')
      await objects.write([{ location, content }])
      // The same commit, but for one more file: whoever has a row's key in it has lost the row.
      const plan = await planCommit({
        read: objects.read,
        base,
        change: {
          operation: 'overwrite',
          added: [
            ...added,
            {
              ...rows,
              content: 'equalityDeletes',
              path: location,
              bytes: content.length,
              rows: 1,
              columns: new Map(),
              equalityIds: [2],
            },
          ],
          summary: { trino_query_id: findSnapshot(committed)?.summary['trino_query_id'] ?? '' },
        },
        commitId: 'equality',
        timeMs: Date.now(),
      })
      await objects.write(plan.objects)
      await world.catalog.move(found, plan)
    }, 'are deleted by equality'))

  it('the pointer leads out of the folder of the table', () =>
    refusedAdoption(async jobId => {
      const { found, text } = await committedMetadata(jobId)
      await world.catalog.move(found, {
        metadata: parseMetadata(text),
        location: 's3://elsewhere/1.metadata.json',
      })
    }, 'not in the folder'))
})
