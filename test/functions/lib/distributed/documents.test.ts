import { expect, it } from 'vitest'
import { createExportDocuments } from '#lib/distributed/export-documents.ts'
import { conflictingWrites } from '#support/conflicting-writes.ts'
import { startObjectStore } from '#support/object-store.ts'
import { untilEnd } from '#support/until-end.ts'

const store = await untilEnd(startObjectStore())
const bucket = await store.createBucket('steps')

const partOf = (rows: number) => ({ rows, slices: [], bytesRead: 0 })

it('of two runs of one step at once the decision of one holds for both', async () => {
  const first = createExportDocuments(store.client, bucket)
  const meanwhile = () => first.decide(7, 'part', partOf(1))
  const second = createExportDocuments(conflictingWrites(store.newClient(), { times: 1, meanwhile }), bucket)
  expect(await second.decide(7, 'part', partOf(2))).toEqual(partOf(1))
  expect(await first.read(7, 'part')).toEqual(partOf(1))
})
