import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { mergeTableName, stagingTableName } from '#lib/iceberg/glue/glue-names.ts'
import { type MergeWorld, type Row, tableId } from './merge-world.ts'

/** Creates the table of most tests, in two files. */
export const createOrders = (world: MergeWorld): Promise<void> =>
  world.createTable(
    ['id', 'amount'],
    [
      [
        { id: '1', amount: '10' },
        { id: '2', amount: '20' },
        { id: '6', amount: '60' },
      ],
      [
        { id: '3', amount: '30' },
        { id: '4', amount: '40' },
      ],
    ],
  )

/** A load that changes two of its rows and adds one. */
export const change: Row[] = [
  { id: '1', amount: '11' },
  { id: '3', amount: '31' },
  { id: '5', amount: '50' },
]
export const before = ['1 10', '2 20', '3 30', '4 40', '6 60']
export const after = ['1 11', '2 20', '3 31', '4 40', '5 50', '6 60']

/** The rows as an independent reader and the engine see them: they agree. */
export const contentOf = async (world: MergeWorld): Promise<string[]> => {
  const rows = await world.rows()
  expect(await world.engineRows()).toEqual(rows.map(({ _timestamp, ...row }) => row))
  return rows.map(({ id, amount }) => `${id} ${amount}`)
}

export const eventsOfTable = async (world: MergeWorld) => {
  const found = []
  for await (const event of world.stores.events.listOf('table', tableId)()) found.push(event)
  return found
}

/** Neither in Glue nor in the staging folder of the job. */
export const expectNothingLeft = async (world: MergeWorld, jobId: number): Promise<void> => {
  expect(await world.catalog.find(mergeTableName(jobId))).toBeUndefined()
  expect(await world.catalog.find(stagingTableName(jobId))).toBeUndefined()
  const staged = await world.s3.send(
    new ListObjectsV2Command({ Bucket: world.tablesBucket, Prefix: `tables/staging/${jobId}/` }),
  )
  expect(staged.Contents ?? []).toEqual([])
}
