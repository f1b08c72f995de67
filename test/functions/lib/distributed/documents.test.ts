import { afterAll, beforeAll, expect, it } from 'vitest'
import { createExportDocuments } from '#lib/distributed/export-documents.ts'
import { createMergeNotes } from '#lib/distributed/merge-notes.ts'
import { conflictingWrites } from '#support/conflicting-writes.ts'
import { type ObjectStore, startObjectStore } from '#support/object-store.ts'

let store: ObjectStore
let bucket: string
beforeAll(async () => {
  store = await startObjectStore()
  bucket = await store.createBucket('steps')
})
afterAll(() => store.close())

const rangesTo = (to: string) => ({ runs: [], ranges: [{ to }] })
const notesOf = (statement: string) => ({ internalId: 1, baseKey: 'tables/1/a.json', statement })

it('of two runs of one step at once the decision of one holds for both', async () => {
  const first = createExportDocuments(store.client, bucket)
  const meanwhile = () => first.decide(7, 'ranges', rangesTo('m'))
  const second = createExportDocuments(conflictingWrites(store.newClient(), { times: 1, meanwhile }), bucket)
  expect(await second.decide(7, 'ranges', rangesTo('n'))).toEqual(rangesTo('m'))
  expect(await first.read(7, 'ranges')).toEqual(rangesTo('m'))
})

it('of two starts of one query at once the notes of one hold for both', async () => {
  const first = createMergeNotes(store.client, bucket)
  const meanwhile = () => first.decide(8, notesOf('first'))
  const second = createMergeNotes(conflictingWrites(store.newClient(), { times: 1, meanwhile }), bucket)
  expect(await second.decide(8, notesOf('second'))).toEqual(notesOf('first'))
  expect(await second.readNotes(8)).toEqual(notesOf('first'))
})

it('the folder of a load is removed with all that is in it, also twice, and no other one', async () => {
  const notes = createMergeNotes(store.client, bucket)
  await notes.decide(9, notesOf('nine'))
  await notes.decide(90, notesOf('ninety'))
  await notes.writeAdopted(9, { metadataKey: 'tables/1/b.json' })
  await notes.clear(9)
  await notes.clear(9)
  expect(await notes.readNotes(9)).toBeUndefined()
  expect(await notes.readAdopted(9)).toBeUndefined()
  expect(await notes.readNotes(90)).toEqual(notesOf('ninety'))
})
